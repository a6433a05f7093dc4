"""PDFs made by hand: as small as can be, and only as right as a test needs."""

from __future__ import annotations

import hashlib


def pdf(*pages: str, title: str = "", author: str = "", encrypted: bytes = b"") -> bytes:
    """A PDF with one line of text for each line of each page; an empty page has none.

    ``encrypted`` is what :func:`encryption` gives: its strings stay plain, for pdfium asks for
    the password before it reads any.
    """
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    add(b"<< /Type /Catalog /Pages 2 0 R >>")
    add(b"")
    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    kids = []
    for text in pages:
        lines = [f"0 -14 Td ({_escaped(line)}) Tj" for line in text.split("\n") if line]
        stream = ("BT /F1 12 Tf 50 780 Td " + " ".join(lines) + " ET").encode("latin-1")
        if not lines:
            stream = b""
        content = add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(
            add(
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents %d 0 R"
                b" /Resources << /Font << /F1 %d 0 R >> >> >>" % (content, font)
            )
        )
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % kid for kid in kids),
    )
    trailer = b"/Root 1 0 R"
    if title:
        said = (_escaped(title).encode("latin-1"), _escaped(author).encode("latin-1"))
        trailer += b" /Info %d 0 R" % add(b"<< /Title (%s) /Author (%s) >>" % said)
    if encrypted:
        trailer += b" /Encrypt %d 0 R /ID [<00> <00>]" % add(encrypted)
    return file(objects, trailer)


def encryption(user_password: bytes) -> bytes:
    """An Encrypt dictionary (40-bit RC4, revision 2) for a user password; the owner has another.

    With an empty user password anyone may open the file.
    """
    owner_key = hashlib.md5(_padded(b"owner")).digest()[:5]
    owner = rc4(owner_key, _padded(user_password))
    user = rc4(file_key(user_password), _PADDING)
    return b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>" % (
        owner.hex().encode(),
        user.hex().encode(),
    )


def file_key(user_password: bytes) -> bytes:
    owner_key = hashlib.md5(_padded(b"owner")).digest()[:5]
    owner = rc4(owner_key, _padded(user_password))
    permissions = (-4 & 0xFFFFFFFF).to_bytes(4, "little")
    return hashlib.md5(_padded(user_password) + owner + permissions + b"\x00").digest()[:5]


def rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out = bytearray()
    i = j = 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def readable_but_protected(text: str) -> bytes:
    """A PDF that anyone may read and only its owner may change: its page is encrypted."""
    plain = pdf(text, encrypted=encryption(b""))
    start = plain.index(b"stream\n") + len(b"stream\n")
    end = plain.index(b"\nendstream")
    number, generation = 4, 0
    key = file_key(b"") + number.to_bytes(3, "little") + generation.to_bytes(2, "little")
    secret = rc4(hashlib.md5(key).digest()[:10], plain[start:end])
    return plain[:start] + secret + plain[end:]


_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def _padded(password: bytes) -> bytes:
    return (password + _PADDING)[:32]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def file(objects: list[bytes], trailer: bytes) -> bytes:
    """A PDF of these objects, numbered from 1."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer << /Size %d %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        trailer,
        table,
    )
    return bytes(out)
