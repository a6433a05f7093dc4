"""Ranking passages by BM25, with SQLite's full-text index in memory."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .limits import MAX_QUESTION_TERMS
from .stopwords import STOP_WORDS

_MARKS = "".join(
    chr(code) for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == "M"
)
_MARKS += "\u200c\u200d"  # join or part letters within a word
# Marks that combine with letters are parts of words: vowels of Indic scripts, points of Hebrew.
_WORD = re.compile(rf"\w[\w{_MARKS}]*")
# Scripts written without spaces between words: a pair of characters stands for a word.
_UNSPACED = re.compile(
    "[\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003134f]+"
)
# Of these the letters are an alphabet, so that nearly any two texts share a few pairs.
_ALPHABET = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_ENOUGH_PAIRS = 0.4


def bm25(question: str, passages: Sequence[str]) -> list[float]:
    """A score for each passage: higher is better, zero means nothing in common."""
    wanted = _wanted(question)
    scores = [0.0] * len(passages)
    if not wanted or not passages:
        return scores
    database = sqlite3.connect(":memory:")
    try:
        # The words are ours already; the tokenizer only has to part them at spaces.
        database.execute(
            "CREATE VIRTUAL TABLE passage USING fts5(words, tokenize=\"ascii tokenchars '_'\")"
        )
        database.executemany(
            "INSERT INTO passage(rowid, words) VALUES (?, ?)",
            ((row, " ".join(map(_hexed, _terms(text)))) for row, text in enumerate(passages)),
        )
        query = " OR ".join(f'"{_hexed(term)}"' for term in wanted)
        found = database.execute(
            "SELECT rowid, bm25(passage) FROM passage WHERE passage MATCH ?", (query,)
        )
        for row, score in found:
            # FTS5 gives better matches a lower score, and almost none to words in every passage.
            if _more_than_chance(wanted, passages[row]):
                scores[row] = max(-score, 1e-6)
    finally:
        database.close()
    return scores


def _more_than_chance(wanted: Sequence[str], passage: str) -> bool:
    """Whether a passage shares a word with the question, or enough pairs of an alphabet."""
    shared = set(_terms(passage)).intersection(wanted)
    pairs = {term for term in wanted if _ALPHABET.fullmatch(term)}
    if shared - pairs:
        return True
    return len(shared) >= max(min(2, len(pairs)), _ENOUGH_PAIRS * len(pairs))


def _wanted(question: str) -> list[str]:
    """The question's terms that say something, each once."""
    normal = _normal(question)
    for word in STOP_WORDS:
        if _UNSPACED.fullmatch(word) and len(word) > 1:
            normal = normal.replace(word, " ")
    terms = [term for term in _terms(normal) if term not in STOP_WORDS]
    return list(dict.fromkeys(terms))[:MAX_QUESTION_TERMS]


def _terms(text: str) -> Iterator[str]:
    for word in _WORD.findall(_normal(text)):
        at = 0
        for run in _UNSPACED.finditer(word):
            if run.start() > at:
                yield _stem(word[at : run.start()])
            yield from _pairs(run[0])
            at = run.end()
        if at < len(word):
            yield _stem(word[at:])


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second


def _stem(word: str) -> str:
    """A word without its plural s, the one ending that questions and pages differ in most."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _hexed(term: str) -> str:
    """A term as a word that SQLite's own rules about letters cannot change."""
    return "t" + term.encode("utf-8", "replace").hex()
