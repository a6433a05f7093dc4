"""Pages of the size and the make-up that news sites serve, made from a seed."""

from __future__ import annotations

import random

TEXT = (
    "the a of and to in on for with was had from that bridge quarry mayor council river town"
    " ferry winter stone money letter engineer morning decided opened closed carried promised"
    " old new long narrow early two three hundred years people children market station road"
)
WORDS = TEXT.split()
COUNT = 24


def documents() -> list[str]:
    """HTML of some 125 kB and 1000 elements each: menus, scripts, an article, teasers."""
    return [_page(random.Random(seed)) for seed in range(COUNT)]


def _page(chance: random.Random) -> str:
    title = _sentence(chance, 7)
    blocks = (_block(chance) for _ in range(chance.randint(12, 45)))
    paragraphs = "".join(_wrapped(chance, block) for block in blocks)
    script = f"<script>var data = {[chance.random() for _ in range(1500)]};</script>"
    style = "<style>" + "".join(_rule(chance) for _ in range(400)) + "</style>"
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title}</title>"
        f'<meta name="author" content="A. Writer">{style}{script}</head><body>'
        f'<header class="site"><nav class="menu"><ul>{_links(chance, 70)}</ul></nav></header>'
        f'<main><div class="layout"><article class="post"><h1>{title}</h1>'
        f'<div class="meta"><span class="byline">By A. Writer</span>'
        f"<time datetime=2026-03-01>1 March</time></div>{paragraphs}</article>"
        f'<aside class="sidebar"><h2>Most read</h2><ul>{_links(chance, 30)}</ul></aside></div>'
        f'<section class="related"><h2>Related</h2>{_teasers(chance, 20)}</section></main>'
        f"{script}<footer><ul>{_links(chance, 40)}</ul><p>All rights reserved.</p></footer>"
        "</body></html>"
    )


def _block(chance: random.Random) -> str:
    kind = chance.random()
    if kind < 0.08:
        return f"<h2>{_sentence(chance, 5)}</h2>"
    if kind < 0.14:
        items = "".join(f"<li>{_sentence(chance, 12)}</li>" for _ in range(5))
        return f"<ul>{items}</ul>"
    if kind < 0.17:
        cells = "".join(f"<tr><td>{_sentence(chance, 2)}<td>{chance.random()}" for _ in range(8))
        return f"<table>{cells}</table>"
    text = " ".join(_sentence(chance, chance.randint(8, 25)) for _ in range(chance.randint(2, 6)))
    return f'<p class="p">{text} <a href="/{chance.random()}">{_sentence(chance, 3)}</a></p>'


def _wrapped(chance: random.Random, block: str) -> str:
    """In boxes with classes, as content systems write them around each block."""
    name = chance.choice(("text", "body", "rich-text", "paragraph", "block"))
    return (
        f'<div class="component component--{name}" data-component="{name}">'
        f'<div class="{name}__inner l-content u-margin-{chance.randint(1, 8)}">{block}</div></div>'
    )


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words)).capitalize() + "."


def _links(chance: random.Random, count: int) -> str:
    return "".join(
        f'<li class="menu-item menu-item-{number}"><a class="menu-link" href="/section/{number}?a"'
        f' data-track="nav-{number}"><span class="label">{_sentence(chance, 3)}</span></a></li>'
        for number in range(count)
    )


def _teasers(chance: random.Random, count: int) -> str:
    return "".join(
        f'<div class="teaser card c-{number}"><div class="card__media"><a href="/story/{number}">'
        f'<img class="card__image" src="/{number}.jpg" alt=""></a></div><div class="card__body">'
        f'<h3 class="card__title"><a href="/story/{number}">{_sentence(chance, 6)}</a></h3>'
        f'<p class="card__text">{_sentence(chance, 14)}</p></div></div>'
        for number in range(count)
    )


def _rule(chance: random.Random) -> str:
    name, width, colour = chance.randint(0, 9999), chance.randint(0, 40), chance.random()
    return f".c{name}{{margin:{width}px;color:#{colour:.6f}}}"
