"""The option question: passages of the page, never anything else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from sift_batch.fetch.passages import split
from sift_batch.fetch.rank import bm25

from .kit import Web, reply, warnings_of
from .pdfs import pdf

GUIDE = """# Shop guide

Welcome to our little shop by the sea. We sell boats, oars and warm woollen caps.

## Delivery

Parcels leave the harbour every morning and arrive within three days on the mainland.

## Returns

### Refunds

You get your money back within fourteen days when you send the goods back unused.

### Exchange

Caps may be exchanged for another size.

| Item | Fee |
| --- | --- |
| Boat | 40 |
| Cap | 2 |
"""


def ask(web: Web, question: str, text: str = GUIDE, **options: Any):  # type: ignore[no-untyped-def]
    return web.fetch(reply(text, "text/markdown"), question=question, **options)


def test_the_answer_is_the_words_of_the_page_led_by_their_headings(web: Web) -> None:
    result = ask(web, "When do I get my money back?")
    (passage,) = result.meta["passages"]
    assert passage["heading"] == "Shop guide > Returns > Refunds"
    assert result.content == (
        "Shop guide > Returns > Refunds\n"
        "You get your money back within fourteen days when you send the goods back unused."
    )
    assert GUIDE[passage["start"] : passage["end"]].startswith("You get your money")
    assert GUIDE[passage["start"] : passage["end"]].endswith("unused.")
    assert passage["score"] > 0
    assert passage["page"] is None


def test_passages_come_in_the_order_of_the_document(web: Web) -> None:
    result = ask(web, "exchange of caps, and delivery to the mainland")
    starts = [passage["start"] for passage in result.meta["passages"]]
    assert len(starts) >= 2
    assert starts == sorted(starts)
    assert result.content.count("\n[…]\n") == len(starts) - 1


@pytest.mark.parametrize(
    "question", ["Who won the football match?", "what is the of and", "???", "的是"]
)
def test_unrelated_questions_get_nothing_rather_than_something(web: Web, question: str) -> None:
    result = ask(web, question)
    assert result.content == ""
    assert result.meta["passages"] == []
    assert warnings_of(result) == ["no_relevant_passage"]


def test_a_chinese_question_finds_its_paragraph(web: Web) -> None:
    refund = "退款将在十四天内退还到您的账户。"
    text = f"我们的商店在海边,出售木船和帽子。\n\n{refund}\n\n包裹每天早上发出。"
    result = ask(web, "「退款政策是什么」", text)
    assert result.content == refund
    assert ask(web, "足球比赛谁赢了", text).content == ""


def test_a_word_that_every_passage_has_still_scores_above_zero(web: Web) -> None:
    text = "\n\n".join(f"# Part {n}\n\nThe boat number {n} sails." for n in range(3))
    result = ask(web, "boat", text)
    assert len(result.meta["passages"]) == 3
    assert all(passage["score"] > 0 for passage in result.meta["passages"])


def test_words_meet_across_case_width_and_plural(web: Web) -> None:
    assert "woollen" in ask(web, "\uff23\uff21\uff30 by the SEA").content


def test_a_passage_of_a_pdf_names_its_page(web: Web) -> None:
    body = reply(pdf("boats are sold here", "refunds take two weeks"), "application/pdf")
    result = web.fetch(body, question="How long do refunds take?")
    assert result.content == "refunds take two weeks"
    assert result.meta["passages"][0]["page"] == 2


def test_no_more_than_five_passages_and_four_thousand_characters(web: Web) -> None:
    text = "\n\n".join(f"# Part {n}\n\n" + "boat sails " * 69 for n in range(12))
    result = ask(web, "boat", text)
    assert 1 < len(result.meta["passages"]) <= 5
    assert len(result.content) <= 4000


def test_a_table_and_code_stay_whole(web: Web) -> None:
    rows = "".join(f"| item {n} | price {n} |\n" for n in range(60))
    code = "```\n" + "\n\n".join(f"line {n} of code" for n in range(60)) + "\n```"
    text = f"# Prices\n\n| Item | Price |\n| --- | --- |\n{rows}\n# Code\n\n{code}\n"
    passages = [text[p.start : p.end] for p in split(text)]
    assert any(p.startswith("| Item") and p.endswith("| price 59 |") for p in passages)
    assert any(p.startswith("```") and p.endswith("```") for p in passages)


def test_passages_do_not_overlap_and_are_of_a_size(web: Web) -> None:
    text = ("This is a sentence about boats. " * 200 + "\n\n") + "x" * 3000
    passages = split(text)
    assert all(p.end - p.start <= 800 for p in passages)
    assert all(a.end <= b.start for a, b in pairwise(passages))
    kept = sum(p.end - p.start for p in passages)
    assert kept > 0.95 * len(text)


def test_the_question_sees_what_grep_left(web: Web) -> None:
    result = ask(web, "boats", grep="Parcels|boats")
    assert "3:Welcome" in result.content
    result = ask(web, "boats", grep="Parcels")
    assert result.content == ""


def test_a_line_that_leads_to_a_list_stays_with_it(web: Web) -> None:
    text = "# Trips\n\nThe boat sails to:\n\n- the island\n- the lighthouse\n\nNothing else."
    result = ask(web, "Where does the boat sail?", text)
    assert result.content == "Trips\nThe boat sails to:\n\n- the island\n- the lighthouse"


def longest(question: str, passages: Sequence[str]) -> list[float]:
    """A ranker as a host may bring one."""
    return [len(passage) if "40" in passage else 0 for passage in passages]


def test_the_ranker_can_be_replaced(web: Web) -> None:
    settings = {"ranker": "tests.fetch.test_question.longest"}
    result = web.fetch(reply(GUIDE, "text/markdown"), question="anything", settings=settings)
    assert "| Boat | 40 |" in result.content


def test_a_question_cannot_speak_to_the_index() -> None:
    for question in ('boat" OR "x', "boat NOT", "words: boat", "boat*", "NEAR(boat)"):
        assert bm25(question, ["a boat", "a cap"])[0] > 0


THAI = (
    "ร้านของเราก่อตั้งในปี 2553 และขายหนังสือ",
    "นโยบายการคืนเงิน: สามารถขอคืนเงินได้ภายในเจ็ดวันหลังจากซื้อสินค้า",
    "การจัดส่งใช้เวลาสามถึงห้าวันทำการ",
    "หากมีคำถามกรุณาติดต่อเรา",
)


def test_a_thai_question_finds_its_paragraph_and_no_other(web: Web) -> None:
    assert ask(web, "นโยบายการคืนเงินคืออะไร", "\n\n".join(THAI)).content == THAI[1]


@pytest.mark.parametrize("question", ["วันนี้อากาศเป็นอย่างไร", "ภูเขาที่สูงที่สุดในโลกคืออะไร"])
def test_an_unrelated_thai_question_finds_nothing(web: Web, question: str) -> None:
    result = ask(web, question, "\n\n".join(THAI))
    assert result.content == ""
    assert warnings_of(result) == ["no_relevant_passage"]


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        (
            "पैसा वापस",
            ["पुल वसंत में फिर से बनाया गया।", "रेस्तरां हर दिन खुलता है।", "आपको अपना पैसा वापस मिलेगा।"],
        ),
        ("הֶחְזֵר כֶּסֶף", ["גֶּשֶׁר חָדָשׁ", "מִסְעָדָה פְּתוּחָה", "תְּקַבְּלוּ הֶחְזֵר"]),
    ],
)
def test_marks_that_combine_with_letters_divide_no_word(
    question: str, passages: Sequence[str]
) -> None:
    *others, best = bm25(question, passages)
    assert others == [0.0, 0.0]
    assert best > 0


def test_lines_too_long_to_be_wrapped_by_hand_are_paragraphs() -> None:
    boats = "We sell boats and oars of all kinds, " * 4
    caps = "Woollen caps are made to measure, " * 4
    text = f"{boats.strip()}\n{caps.strip()}\nA short line\nand what goes on with it"
    shown = [passage.shown(text) for passage in split(text)]
    assert shown == [boats.strip(), caps.strip(), "A short line\nand what goes on with it"]
