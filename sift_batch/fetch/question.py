"""The option ``question``: the passages of a text that have most to do with it."""

from __future__ import annotations

from .config import FetchConfig
from .document import Document
from .limits import MAX_PASSAGES, MAX_PASSAGES_CHARS
from .meta import Meta
from .passages import Passage, split
from .rank import bm25

GAP = "\n[…]\n"


def answer(document: Document, question: str, config: FetchConfig, meta: Meta) -> Document:
    """The best passages, verbatim and in their order in the text."""
    text = document.content
    passages = split(text)
    ranker = config.load_ranker() or bm25
    scores = ranker(question, [passage.searchable(text) for passage in passages])
    relevant = [
        (float(score), passage)
        for score, passage in zip(scores, passages, strict=True)
        if score > 0
    ]
    relevant.sort(key=lambda found: (-found[0], found[1].start))
    chosen = _within_limit(relevant[:MAX_PASSAGES], text)
    if len(chosen) < min(len(relevant), MAX_PASSAGES):
        meta.truncate("output_limit")
    chosen.sort(key=lambda found: found[1].start)
    meta.set(
        passages=[
            {
                "start": passage.start,
                "end": passage.end,
                "score": round(score, 6) or 0.000001,
                "heading": passage.heading,
                "page": passage.page,
            }
            for score, passage in chosen
        ]
    )
    if not chosen:
        meta.warn("no_relevant_passage", "no passage has to do with the question")
        return Document("", document.format)
    shown = [passage.shown(text) for _, passage in chosen]
    return Document(GAP.join(shown), document.format)


def _within_limit(relevant: list[tuple[float, Passage]], text: str) -> list[tuple[float, Passage]]:
    chosen: list[tuple[float, Passage]] = []
    room = MAX_PASSAGES_CHARS
    for score, passage in relevant:
        needed = len(passage.shown(text)) + (len(GAP) if chosen else 0)
        if needed <= room:
            chosen.append((score, passage))
            room -= needed
    return chosen
