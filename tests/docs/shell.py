"""The shell examples of the documents, as commands."""

import re
import shlex
from collections.abc import Iterator
from itertools import dropwhile

from tests.docs.documents import Example, examples, text

LANGUAGES = ("sh", "console")


def commands(example: Example) -> Iterator[list[str]]:
    """The words of each command, without comments and without what `console` shows as output."""
    joined = example.text.replace("\\\n", " ")
    for line in joined.splitlines():
        if example.language == "console":
            if not line.startswith("$ "):
                continue
            line = line.removeprefix("$ ")
        yield from split(line)


def split(line: str) -> Iterator[list[str]]:
    """The commands of one line, parted by `&&`, without variables that are set in front of one."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, "&&"]:
        if word != "&&":
            words.append(word)
        else:
            if command := list(dropwhile(lambda w: re.match(r"[A-Z_]+=", w), words)):
                yield command
            words = []


def shown(document: str) -> Iterator[list[str]]:
    """Every command that a document shows: in shell examples, units, probes and running text."""
    for example in examples(document, *LANGUAGES):
        yield from commands(example)
    for example in examples(document, "ini"):
        yield from map(shlex.split, re.findall(r"^ExecStart=(.+)$", example.text, re.MULTILINE))
    for example in examples(document, "yaml"):
        for listed in re.findall(r"command: \[(.+)\]", example.text):
            yield listed.split(", ")
    prose = re.sub(r"^```.*?^```$", "", text(document), flags=re.MULTILINE | re.DOTALL)
    for inline in re.findall(r"`([^`]+)`", prose):
        if re.match(r"(python )?manage\.py \w|make [a-z]", inline):
            yield from split(" ".join(inline.split()))
