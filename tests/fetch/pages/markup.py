"""Pages that are odd in the way they are made."""

from __future__ import annotations

from .kind import Kind

FEED = {"detected_type": "xml", "content_format": "xml"}

MARKUP = (
    Kind(
        name="email_newsletter",
        must=(
            "# March in the orchard\n",
            "Dear friends of old apples, the snow is gone",
            "Prune the stone fruit only after it has flowered.",
            "## Grafting course\n",
            "Bring a sharp knife and a branch of a tree that you would miss.",
        ),
        in_auto=("(https://mail.orchard.example/track/click?u=1&id=9c)",),
        must_not=("|", "View this email", "Unsubscribe"),
        never=("What to prune now", "OfficeDocumentSettings"),
    ),
    Kind(
        name="layout_tables",
        must=(
            "# Comparison of three sewing machines\n",
            "I have owned all three of these machines",
            "The first one came from my aunt.",
            "| **Machine** | **Year** | **Stitches** | **My mark** |\n| --- | --- | --- | --- |\n"
            "| Viktoria 12 | 1958 | 1 | very good |",
            "The second one has twenty-four stitches",
            "The third one is light enough",
            "*Last changed on 3 May 1998.",
        ),
        in_auto=("(mailto:hilda@sewing.example)",),
    ),
    Kind(
        name="inline_images",
        must=(
            "Two gears fit when their teeth have the same module",
            "Take a string, wind it around a tin",
            "What follows \U0001f642 is the part that I always forget",
            "it is never the teeth.",
            "A template for printing is at the end of the page",
        ),
        in_auto=("[in this file](http://page.test:",),
        never=("base64", "base circle label", "Involute curve"),
    ),
    Kind(
        name="frameset",
        must=(
            "# Choir of Saint Agnes\n",
            "The choir sings every Sunday at ten",
            "[menu](http://page.test:",
        ),
        in_auto=("/dir/top.html)", "/dir/welcome.html)"),
        never=("<body", "bgcolor", "location.href"),
        article=False,
        mode_used="full",
        warnings=("main_content_not_found",),
    ),
    Kind(
        name="xhtml",
        must=(
            "# On the care of slide rules\n",
            "A slide rule of boxwood wants to be dry",
            "If the slide sticks, do not oil it.",
            "leaves again when you wipe it off.\nTalcum was used as well, but it cakes.",
            "## Cleaning the scales\n",
            "The numbers are engraved \u2014 they will not come off",
            "what is used does not stick.",
        ),
        must_not=("Valid XHTML", "The Slide Rule Page"),
        never=("written by a script", "CDATA"),
        content_type="application/xhtml+xml",
        meta={"author": "Bernt Ohlsen", "charset_source": "xml", "language": "en"},
    ),
    Kind(
        name="divs_only",
        must=(
            "Night shift",
            "It is ten past three, and I am the only one awake",
            "In fact he waits for the bread.",
            "Room 212 called at one",
            "he took one roll, put a coin on the desk",
            "It is from a country that I have never heard of.",
        ),
        must_not=("made with tinypage",),
        content_type=None,
        meta={"title": "Night shift", "charset_source": "meta"},
    ),
    Kind(
        name="uppercase_unclosed",
        must=(
            "# How to get to the hut\n",
            "The hut stands at 1,840 metres",
            "There are three ways up.",
            "## From the east\n\n- Take the bus to Ober-Tavel, last stop\n- Follow the red marks",
            "- At the chapel turn **left**, even if you do not believe it\n- Another hour",
            "## From the west\n\n1. Cross the dam\n2. Go up along the pipe",
            "Dogs may sleep in the woodshed.",
            "he has never yet overlooked a red jacket.",
        ),
        never=("window.status",),
    ),
    Kind(
        name="endless_nesting",
        must=(
            "# Whose turn is it to feed the swans?\n",
            "The bucket has been standing there since Sunday",
            "Reply number 1: it was house number 8",
            "Reply number 150: it was house number 16",
            "Reply number 300: it was house number 8",
        ),
        must_not=("run by neighbours",),
    ),
    Kind(
        name="minified",
        must=(
            "# The tower that leans the other way\n",
            "it leaned thirty-four centimetres to the south",
            "it leaned eleven centimetres to the north.",
            "explains the first part of the way but not the second.",
            "## The spring under the market\n",
            "Dry clay shrinks, but here it shrank evenly",
            "- 1911: 34 cm south\n- 1958: straight, by calculation\n- 1986: 11 cm north",
            "The parish still saves.",
        ),
        must_not=("Read next", "Bricks from the river", "Tools"),
        meta={"description": "A tower in Alsing leans north."},
    ),
    Kind(
        name="rss",
        must=("<title>Weir Watch</title>", "A diver has found a bicycle.", "The eels are back"),
        content_type="application/rss+xml; charset=UTF-8",
        suffix="xml",
        mode_used="text",
        meta=FEED,
    ),
    Kind(
        name="atom",
        must=("Clock repairs", "A spring that was too strong", "its owner was always early."),
        content_type="application/atom+xml",
        suffix="xml",
        mode_used="text",
        meta={**FEED, "charset_source": "xml"},
    ),
    Kind(
        name="sitemap",
        must=("<loc>https://weir.example/</loc>", "<loc>https://weir.example/2025/gate-two/</loc>"),
        content_type="text/xml",
        suffix="xml",
        mode_used="text",
        meta=FEED,
    ),
    Kind(name="app_shell", error="needs_javascript"),
    Kind(name="bot_wall", error="access_denied"),
)
