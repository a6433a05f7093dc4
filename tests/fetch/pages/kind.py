"""A kind of page, and what has to become of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A file of this folder, how a server sends it, and what is to be read there.

    ``must``: in this order, in every mode; in ``auto`` to the letter. ``in_auto``: only there.
    ``must_not``: neither in ``auto`` nor in ``article`` and ``text``. ``never``: in no mode.
    ``error``: the code that it ends with instead, in every mode but ``raw``.
    ``article`` is False where the page has no article, so that ``auto`` gives all of it.
    """

    name: str
    must: tuple[str, ...] = ()
    in_auto: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    error: str | None = None
    article: bool = True
    content_type: str | None = HTML
    encoding: str = "utf-8"
    suffix: str = "html"
    status: str = "200 OK"
    mode_used: str = "article"
    warnings: tuple[str, ...] = ()
    meta: dict[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.{self.suffix}"

    @property
    def body(self) -> bytes:
        """The file in the page's own charset."""
        return self.file.read_text(encoding="utf-8").encode(self.encoding)
