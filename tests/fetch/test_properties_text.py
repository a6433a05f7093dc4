"""What holds for any text: pages, grep, passages and the check of options."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from batch.errors import InvalidTargetsError
from batch.types import Options, Target, parse_targets
from sift_batch.fetch import FetchConfig, validate
from sift_batch.fetch.codes import OPTION_CODES
from sift_batch.fetch.document import Document
from sift_batch.fetch.errors import BadOption
from sift_batch.fetch.grep import grep
from sift_batch.fetch.limits import MAX_PASSAGES, MAX_PASSAGES_CHARS
from sift_batch.fetch.meta import Meta
from sift_batch.fetch.pages import parse_pages, ranges
from sift_batch.fetch.question import GAP, answer
from sift_batch.fetch.regex import compile_pattern

quick = settings(max_examples=100, deadline=None)

spans = st.tuples(st.integers(1, 60), st.none() | st.integers(0, 60) | st.just("open"))
space = st.sampled_from(["", " ", "  "])


@quick
@given(st.lists(st.tuples(spans, space, space, st.sampled_from("-\u2013")), min_size=1, max_size=6),
       st.integers(1, 50))  # fmt: skip
def test_pages_are_those_of_a_plain_model(items: list[Any], count: int) -> None:
    texts, model, past = [], set(), False
    for (first, more), before, between, dash in items:
        if more is None:
            text, last = str(first), first
        elif more == "open":
            text, last = f"{first}{between}{dash}", max(first, count)
        else:
            last = first + more
            text = f"{first}{between}{dash}{between}{last}"
        texts.append(f"{before}{text}{before}")
        model |= {page for page in range(first, last + 1) if page <= count}
        past = past or last > count
    chosen = parse_pages(",".join(texts))
    assert chosen.within(count) == sorted(model)
    assert chosen.reaches_past(count) == past


@quick
@given(st.sets(st.integers(1, 300), min_size=1, max_size=30))
def test_pages_that_are_written_are_read_as_the_same(pages: set[int]) -> None:
    assert parse_pages(ranges(sorted(pages))).within(300) == sorted(pages)


pieces = st.sampled_from(
    ["a", "b", " ", ".", "[ab]", "[^a]", "a+", "b*", "c?", "a{2}", "(ab|c)",
                          "(?:b|)", "^", "$", "|", r"\b", r"\w", r"\s", r"\d", "é", "(?i)A"]
)  # fmt: skip
lines = st.lists(st.text(st.sampled_from("aAbBc 1é日-:"), max_size=12), min_size=1, max_size=30)


@settings(max_examples=300, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=4).map("".join), lines, st.booleans())
def test_grep_finds_what_python_finds(pattern: str, text: list[str], context: bool) -> None:
    try:
        compiled = compile_pattern(pattern)
        # Both in RE2's terms: its \b, \w and \s are ASCII.
        model = re.compile(pattern, re.ASCII)
    except (BadOption, re.error):
        return
    meta = Meta("http://a.test/")
    made = grep(Document("\n".join(text), "text"), compiled, context=context, meta=meta)
    shown = "\n".join(text).removesuffix("\n").split("\n")
    hits = [number for number, line in enumerate(shown) if model.search(line)]
    assert meta.get("grep_matches") == len(hits)
    assert made.content == "\n".join(listed(shown, hits, 2 if context else 0))


def listed(text: list[str], hits: list[int], around: int) -> list[str]:
    """What ripgrep shows: each line near a match, with a mark between runs of them."""
    near = [n for n in range(len(text)) if any(abs(n - hit) <= around for hit in hits)]
    out: list[str] = []
    for _, run in groupby(enumerate(near), lambda pair: pair[1] - pair[0]):
        if out and around:
            out.append("--")
        out += [f"{n + 1}{':' if n in hits else '-'}{text[n]}" for _, n in run]
    return out


documents = st.lists(
    st.one_of(
        st.sampled_from(["# One", "## Two", "### Three", "", "<!-- page 3 -->", "```", "| a |"]),
        st.lists(
            st.sampled_from(["river", "bridge", "stone", "the", "of", "退款政策", "Fluß", "ﬁne."]),
            min_size=1,
            max_size=60,
        ).map(" ".join),
    ),
    max_size=25,
).map("\n".join)  # fmt: skip


@quick
@given(
    documents,
    st.sampled_from(["bridge", "Where is the BRIDGE?", "退款政策是什么", "fluss", "the", "q"]),
)
def test_a_passage_is_where_it_is_said_to_be(text: str, question: str) -> None:
    meta = Meta("http://a.test/")
    made = answer(Document(text, "markdown"), question, FetchConfig(), meta)
    passages = meta.get("passages")
    assert len(passages) <= MAX_PASSAGES
    assert len(made.content) <= MAX_PASSAGES_CHARS
    shown = []
    for passage in passages:
        words = text[passage["start"] : passage["end"]]
        assert words.strip() == words != ""
        assert passage["score"] > 0
        shown.append(f"{passage['heading']}\n{words}" if passage["heading"] else words)
    assert made.content == GAP.join(shown)
    assert [p["start"] for p in passages] == sorted({p["start"] for p in passages})
    assert bool(passages) == (meta.get("warnings") == [])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
FIELDS = ["mode", "pages", "grep", "context", "jq", "question", "recover", "extra", "other"]


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), json_values, max_size=5))
def test_any_json_as_options_is_checked_without_a_fault(options: dict[str, Any]) -> None:
    try:
        targets = parse_targets([{"url": "http://a.test/", "options": options}])
    except InvalidTargetsError:
        return
    check(targets)


marks = st.sampled_from("()[]{}|*+?\\.^$<>=!#:-,0123456789abP \n\x00\ud800é")
text = st.text(marks | st.characters(), max_size=30)


@settings(max_examples=60, deadline=None)
@given(st.builds(Options, mode=text, pages=text, grep=text, jq=text, question=text))
def test_any_text_as_options_is_checked_without_a_fault(options: Options) -> None:
    check([Target("http://a.test/", options), Target("", options)])


def check(targets: list[Target]) -> None:
    for problem in validate(targets):
        assert problem.code in OPTION_CODES | {"unknown_option"}
        assert problem.message
        assert problem.hint
        assert "Traceback" not in problem.message
