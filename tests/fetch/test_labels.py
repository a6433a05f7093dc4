"""Charsets by all the names that browsers know."""

from __future__ import annotations

import pytest

from sift_batch.fetch.charset import header_charset, read_text
from sift_batch.fetch.labels import CODECS

from .kit import Web, article, reply, warnings_of

TEXTS = {
    "utf-8": "grüß 日本",
    "utf-16": "grüß 日本",
    "utf-16-le": "grüß 日本",
    "utf-16-be": "grüß 日本",
    "cp866": "Привет",
    "koi8-r": "Привет",
    "koi8-u": "Привіт",
    "mac-cyrillic": "Привет",
    "windows-1251": "„Привет“",
    "iso8859-5": "Привет",
    "iso8859-2": "Łódź",
    "windows-1250": "„Łódź“",
    "iso8859-3": "ĉiuĵaŭde",
    "iso8859-4": "ķēniņš",
    "iso8859-10": "Ŋþðū",
    "iso8859-13": "žąsų",
    "windows-1257": "„žąsų“",
    "iso8859-14": "ŵyneb Ṫ",
    "iso8859-15": "€ œuvre",
    "iso8859-16": "„ț€",
    "iso8859-6": "سلام",
    "windows-1256": "„سلام“ گ",
    "iso8859-7": "€ Ελλάς",
    "windows-1253": "“Ελλάς”",
    "iso8859-8": "שלום",
    "windows-1255": "“שָׁלוֹם” ₪",
    "mac-roman": "café ∞",
    "cp874": "ภาษา “ไทย”",
    "windows-1252": "“café” €",
    "windows-1254": "“şığ” €",
    "windows-1258": "Tiêng ₫",
    "gb18030": "你好㐀",
    "hz": "你好",
    "big5hkscs": "香港嘅嘢",
    "euc_jp": "日本語",
    "cp932": "①日本語",
    "iso2022_jp_ext": "日本語ﾊﾝ",
    "cp949": "한국 똠",
    "iso2022_kr": "한국",
}


def read(body: bytes, content_type: str = "text/html") -> str:
    return read_text(body, content_type, html=True, warn=lambda code, message: None).text


@pytest.mark.parametrize("label", CODECS)
def test_a_page_is_read_by_each_name_of_its_charset(label: str) -> None:
    codec = CODECS[label]
    text = TEXTS[codec]
    body = text.encode("utf-16-le" if codec == "utf-16" else codec)
    for said in (label, f' "{label.upper()}"', f"{label}; x=y"):
        assert read(body, f"text/html; charset={said}") == text
    if codec.startswith("utf-16"):
        return  # what can be read byte by byte is not written in it
    for head in (
        f"<meta charset={label}>",
        f'<META CHARSET=" {label.upper()}\f">',
        f"<meta charset={label}/>",
        f"<meta http-equiv=content-type content='text/html; charset={label}'>",
        f'<?xml version="1.0" encoding=" {label.upper()} "?>',
    ):
        assert read(head.encode() + body) == head + text


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("x-sjis", "shift_jis", "日本語のページ"),
        ("windows-31j", "cp932", "①日本"),
        ("x-euc-jp", "euc_jp", "日本語のページ"),
        ("iso-8859-8-i", "iso8859-8", "שלום עולם"),
        ("windows-874", "cp874", "ภาษาไทย"),
        ("tis-620", "cp874", "“ไทย”"),
        ("iso-8859-11", "cp874", "“ไทย”"),
        ("windows-949", "cp949", "똠방각하"),
        ("ks_c_5601-1987", "cp949", "똠방각하"),
        ("euc-kr", "cp949", "똠방각하"),
        ("x-gbk", "gbk", "你好世界"),
        ("x-cp1251", "cp1251", "Привет мир"),
        ("koi8", "koi8_r", "Привет мир"),
        ("cn-big5", "big5", "香港"),
        ("big5", "big5hkscs", "嘅嘢"),
        ("iso-8859-9", "cp1254", "“şığ” €5"),
        ("latin5", "cp1254", "“şığ” €5"),
        ("ascii", "cp1252", "“café” €5"),
        ("x-mac-ukrainian", "mac_cyrillic", "Привет"),
        ("unicode20utf8", "utf-8", "é"),
    ],
)
def test_a_name_that_python_lacks_or_takes_narrowly_is_read_as_browsers_do(
    web: Web, label: str, codec: str, text: str
) -> None:
    body = article(f"<p>{text}</p>" * 3, head=f"<meta charset={label}>").encode(codec)
    for content_type in ("text/html", f"text/html; charset={label}"):
        result = web.fetch(reply(body, content_type))
        assert result.content.count(text) == 3
        assert warnings_of(result) == []


@pytest.mark.parametrize("label", ["unicode", "UCS-2", "utf-16"])
def test_utf_16_by_any_name_is_no_binary_file(web: Web, label: str) -> None:
    body = article("<p>grüß</p>").encode("utf-16-le")
    assert web.fetch(reply(body, f'text/html; charset="{label}"')).content == "grüß"


@pytest.mark.parametrize("label", ["nonsense", "replacement", "iso-2022-cn", "utf-7", "base64"])
def test_a_name_that_stands_for_nothing_is_none(label: str) -> None:
    assert header_charset(f"text/html; charset={label}") is None


@pytest.mark.parametrize(
    ("label", "codec"),
    [("latin-1", "windows-1252"), ("ISO_8859_9", "windows-1254"), ("euc_kr", "cp949"),
     ("cp936", "gb18030"), ("utf_16_le", "utf-16-le"), ("cp437", "cp437")],
)  # fmt: skip
def test_a_spelling_that_only_python_knows_is_known_as_well(label: str, codec: str) -> None:
    assert header_charset(f"text/html; charset={label}") == codec
