"""Which charset a body is in."""

from __future__ import annotations

import pytest

from sift_batch.fetch.charset import read_text

from .kit import OTHER, PARAGRAPH, Web, article, reply, warnings_of

RUSSIAN = "Железная дорога проходит через весь город, и поезда идут каждые десять минут. " * 3
CHINESE = "你好。这是一个很长的段落。用来测试中文文本的编码是否正确。" * 4


def read(body: bytes, content_type: str = "text/html", html: bool = True) -> tuple[str, str, str]:
    decoded = read_text(body, content_type, html=html, warn=lambda code, message: None)
    return decoded.text, decoded.charset, decoded.source


@pytest.mark.parametrize(
    ("codec", "bom"),
    [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff"),
     ("utf-32-le", b"\xff\xfe\x00\x00")],
)  # fmt: skip
def test_a_bom_comes_before_everything(codec: str, bom: bytes) -> None:
    assert read(bom + "grüß".encode(codec), "text/html; charset=latin-1") == ("grüß", codec, "bom")


def test_the_header_comes_before_the_page() -> None:
    body = "<meta charset=koi8-r>grüß".encode()
    assert read(body, "text/html; charset=utf-8")[0].endswith("grüß")
    assert read(body, 'text/html; charset="UTF-8"')[2] == "header"


def test_an_unknown_charset_in_the_header_is_passed_over() -> None:
    assert read("grüß".encode(), "text/html; charset=nonsense")[1:] == ("utf-8", "utf8")
    for label in ("base64", "utf-7", "unicode_escape"):
        assert read("grüß".encode(), f"text/html; charset={label}")[1:] == ("utf-8", "utf8")


@pytest.mark.parametrize("label", ["gb2312", "gbk", "GB2312"])
def test_gb2312_and_gbk_are_read_as_their_superset(label: str) -> None:
    body = f"<meta charset={label}><p>{CHINESE}㐀".encode("gb18030")
    text, charset, source = read(body)
    assert "你好" in text
    assert "㐀" in text
    assert (charset, source) == ("gb18030", "meta")


@pytest.mark.parametrize("label", ["iso-8859-1", "latin1", "us-ascii"])
def test_latin_1_is_read_as_windows_1252(label: str) -> None:
    text, charset, _ = read(b"\x93quoted\x94", f"text/html; charset={label}")
    assert (text, charset) == ("“quoted”", "windows-1252")


@pytest.mark.parametrize(
    ("head", "charset", "source"),
    [
        ('<meta charset="koi8-r">', "koi8-r", "meta"),
        ("<META http-equiv=Content-Type content='text/html; charset=koi8-r'>", "koi8-r", "meta"),
        ('<meta name=x content="text/html; charset=koi8-r">', "utf-8", "utf8"),
        ("<!-- <meta charset=koi8-r> -->", "utf-8", "utf8"),
        ("<meta charset=utf-16>", "utf-8", "meta"),
        ('<?xml version="1.0" encoding="koi8-r"?>', "koi8-r", "xml"),
        (" " * 5000 + "<meta charset=koi8-r>", "utf-8", "utf8"),
        ('<meta data-charset="koi8-r">', "utf-8", "utf8"),
    ],
)
def test_what_a_page_says_of_its_charset(head: str, charset: str, source: str) -> None:
    assert read(head.encode() + b"<p>plain</p>")[1:] == (charset, source)


def test_utf_8_without_a_label_is_utf_8() -> None:
    assert read("grüß dich, wörld".encode())[1:] == ("utf-8", "utf8")


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read_in_its_own_order(web: Web, order: str) -> None:
    body = article(PARAGRAPH, OTHER).encode(order)
    result = web.fetch(reply(body, "text/html; charset=utf-16"))
    assert "bridge" in result.content
    assert result.meta["charset"] == order


def test_utf_8_with_a_few_bad_bytes_is_still_utf_8_and_they_are_counted(web: Web) -> None:
    body = (RUSSIAN * 3).encode() + b"\xff\xfe"
    result = web.fetch(reply(body, "text/plain"))
    assert result.meta["charset"] == "utf-8"
    assert result.content.endswith("\ufffd\ufffd")
    assert warnings_of(result) == ["bad_characters"]
    assert result.meta["warnings"][0]["message"].startswith("2 ")


def test_a_long_enough_text_without_a_label_is_detected() -> None:
    text, charset, source = read(RUSSIAN.encode("cp1251"))
    assert (text, source) == (RUSSIAN, "detected")
    assert "1251" in charset


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", "El señor alcalde explicó que mañana se abrirá la estación para los niños. "),
        ("cp1252", "Bron måste hållas öppen för gående, och lastbilar får köra på den större. "),
        ("cp1252", "Le maire a expliqué que la passerelle restera fermée cet été à l'école. "),
        ("cp1250", "Burmistrz wyjaśnił, że most pozostanie otwarty. Ciężarówki jeżdżą dookoła. "),
        ("cp1250", "A polgármester elmondta, hogy a híd nyitva marad a gyalogosok előtt, késő. "),
    ],
    ids=["spanish", "swedish", "french", "polish", "hungarian"],
)
def test_latin_letters_without_a_label_are_those_of_the_language(codec: str, text: str) -> None:
    page = f"<p>{text * 20}</p>"
    assert read(page.encode(codec)) == (page, f"windows-{codec[2:]}", "detected")


def test_a_short_text_without_a_label_is_windows_1252() -> None:
    assert read("café".encode("latin-1")) == ("café", "windows-1252", "default")


def test_meta_tells_the_charset_and_its_source(web: Web) -> None:
    result = web.fetch(reply(f"<p>{CHINESE}".encode("gb18030"), "text/html; charset=gb2312"))
    assert "你好" in result.content
    assert result.meta["charset"] == "gb18030"
    assert result.meta["charset_source"] == "header"
