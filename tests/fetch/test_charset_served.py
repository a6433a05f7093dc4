"""Pages in the charsets of the world, through the whole pipeline."""

from __future__ import annotations

import gzip

import pytest

from .kit import Web, article, reply, warnings_of

TEXTS = {
    "shift_jis": "委員会は火曜日に集まり、古い石切り場の石で橋を建て直すことに決めました。",
    "euc-jp": "委員会は火曜日に集まり、古い石切り場の石で橋を建て直すことに決めました。",
    "gb18030": "委员会在星期二开会决定用老采石场的石头重建这座桥。这是全镇从春天起的愿望。",
    "big5": "委員會在星期二開會決定用老採石場的石頭重建這座橋。這是全鎮從春天起的願望。",
    "euc-kr": "위원회는 화요일에 모여 오래된 채석장의 돌로 다리를 다시 짓기로 결정했습니다.",
    "windows-1251": "Комитет собрался во вторник и решил, что мост будет восстановлен из камня.",
    "koi8-r": "Комитет собрался во вторник и решил, что мост будет восстановлен из камня.",
    "windows-1253": "Τότε η επιτροπή συνεδρίασε την Τρίτη και αποφάσισε ότι η γέφυρα θα χτιστεί.",
    "windows-1255": "הוועדה התכנסה ביום שלישי והחליטה שהגשר ייבנה מחדש מאבן מהמחצבה הישנה.",
    "iso-8859-2": "Komisja zebrała się we wtorek i zdecydowała, że most zostanie odbudowany.",
}  # fmt: skip
TOLD_AS = {
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "iso-8859-2": "iso8859-2",
    "big5": "big5hkscs",
}


def page(text: str, head: str = "") -> str:
    return article(*(f"<p>{text} {n}</p>" for n in range(6)), head=head)


@pytest.mark.parametrize("charset", TEXTS)
def test_a_page_is_read_by_what_it_says_itself(web: Web, charset: str) -> None:
    text = TEXTS[charset]
    body = page(text, f"<meta charset={charset}>").encode(charset)
    result = web.fetch(reply(body, "text/html"))
    assert result.content.count(text) == 6
    assert result.meta["charset"] == TOLD_AS.get(charset, charset)
    assert result.meta["charset_source"] == "meta"
    assert warnings_of(result) == []


@pytest.mark.parametrize("charset", TEXTS)
def test_a_page_is_read_by_its_header_before_what_it_says_itself(web: Web, charset: str) -> None:
    body = page(TEXTS[charset], "<meta charset=utf-8>").encode(charset)
    result = web.fetch(reply(body, f'text/html; Charset="{charset}"'))
    assert TEXTS[charset] in result.content
    assert result.meta["charset_source"] == "header"


@pytest.mark.parametrize(
    "charset",
    ["shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1251", "koi8-r"],
)
def test_a_page_without_any_label_is_read_by_its_bytes(web: Web, charset: str) -> None:
    result = web.fetch(reply(page(TEXTS[charset]).encode(charset), "text/html"))
    assert TEXTS[charset] in result.content
    assert result.meta["charset_source"] == "detected"


def test_a_page_that_says_gb2312_may_have_what_only_gb18030_has(web: Web) -> None:
    text = "你好。㐀是一个罕见的字。" * 8
    body = page(text, "<meta charset=gb2312>").encode("gb18030")
    result = web.fetch(reply(body, "text/html"))
    assert "㐀" in result.content
    assert result.meta["charset"] == "gb18030"


def test_utf_8_without_a_label_is_not_latin_1(web: Web) -> None:
    result = web.fetch(reply(page("Grüße aus Zürich: schön").encode(), "text/html"))
    assert "Grüße aus Zürich: schön" in result.content
    assert result.meta["charset_source"] == "utf8"


def test_a_packed_page_says_its_charset_as_well(web: Web) -> None:
    body = page(TEXTS["shift_jis"], "<meta charset=shift_jis>").encode("shift_jis")
    packed = reply(gzip.compress(body), "text/html", "200 OK", "Content-Encoding: gzip")
    assert TEXTS["shift_jis"] in web.fetch(packed).content
