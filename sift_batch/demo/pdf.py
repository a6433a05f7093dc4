"""A PDF of plain lines: the least that a reader of PDFs accepts as one."""

from __future__ import annotations

from collections.abc import Sequence

LINE = "({}) Tj T*"
PAGE = "BT /F1 12 Tf 16 TL 72 770 Td {} ET"


def pdf(pages: Sequence[str]) -> bytes:
    """One page for each text, its lines from the top, in Helvetica."""
    kids = " ".join(f"{number} 0 R" for number in range(4, 4 + 2 * len(pages), 2))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for text in pages:
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"
            b" /Resources << /Font << /F1 3 0 R >> >>"
            b" /Contents %d 0 R >>" % (len(objects) + 2)
        )
        drawn = PAGE.format(" ".join(LINE.format(_escaped(line)) for line in text.splitlines()))
        stream = drawn.encode("cp1252")
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream))
    return _file(objects)


def _escaped(line: str) -> str:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _file(objects: Sequence[bytes]) -> bytes:
    """The objects, and the table that says at which byte each begins."""
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return out + (
        b"xref\n0 %d\n0000000000 65535 f \n%btrailer\n<< /Size %d /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (size, table, size, len(out))
    )
