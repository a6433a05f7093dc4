"""What a page became: text, and where its pages begin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Document:
    """Readable text.

    ``format``: markdown, text, json, jsonl, html, xml or csv. ``pages``: number and text of
    each page of a PDF, in order; None for everything else. ``marked``: whether the content
    has a line before each page.
    """

    content: str
    format: str
    pages: tuple[tuple[int, str], ...] | None = None
    marked: bool = True

    @classmethod
    def of_pages(cls, pages: list[tuple[int, str]], *, marked: bool) -> Document:
        """A PDF's text; ``marked`` puts a line before each page."""
        if marked:
            blocks = [f"{page_marker(number)}\n{text}".rstrip() for number, text in pages]
        else:
            blocks = [text for _, text in pages if text]
        return cls("\n\n".join(blocks), "text", tuple(pages), marked)


def page_marker(number: int) -> str:
    return f"<!-- page {number} -->"
