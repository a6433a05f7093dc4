"""Limits that are not settings. Units stand in the names; settings are in ``config``."""

from __future__ import annotations

MAX_URL_CHARS = 8192
MAX_REDIRECTS = 10
MAX_META_REFRESH_SECONDS = 5.0

DEADLINE_MARGIN_SECONDS = 1.0
"""How long before the runner's deadline a fetch ends by itself, at most."""
READ_SECONDS = 30.0
"""How long a server may be silent in the middle of an answer."""
NEXT_ADDRESS_SECONDS = 2.0
"""How long one of several addresses may take before the next one is tried."""
MAX_ADDRESSES = 4
"""How many of a name's addresses are tried."""

BACKOFF_BASE_SECONDS = 0.5
BACKOFF_CAP_SECONDS = 8.0
MAX_HOST_HOLD_SECONDS = 120.0
"""The longest that one 429 may keep this process away from a host."""

MAX_ENCODINGS = 4
"""How many stacked Content-Encodings are undone."""
DECODE_INPUT_BYTES = 64 * 1024
DECODE_STEP_BYTES = 256 * 1024
ZSTD_WINDOW_LOG = 23
"""8 MiB, the largest window that the standard allows on the web."""

CHARSET_META_BYTES = 4096
CHARSET_BAD_SHARE = 0.05
"""Up to this share of bad non-ASCII bytes a text still counts as UTF-8."""
CHARSET_DETECT_MIN_BYTES = 64
"""Fewer non-ASCII bytes than this are too few to detect a charset from."""
CHARSET_DETECT_SAMPLE_BYTES = 64 * 1024

SNIFF_BYTES = 1024
"""Where ``%PDF-`` is looked for; pdfium accepts no more junk before it."""

LARGE_PAGE_ELEMENTS = 30_000
"""A page of more elements is searched less thoroughly, to keep within the clock."""
MAX_ARTICLE_ELEMENTS = 80_000
"""In a page of more elements the main content is looked for only when asked for by name."""
SHORT_ARTICLE_CHARS = 200
BODY_OVER_ARTICLE = 4
"""A short article gives way to the whole page when that has over this many times as much."""
SHELL_MAX_CHARS = 300
"""A page of scripts with no more visible text than this is an application's shell."""
LOADING_MAX_CHARS = 60
"""What says that the page is loading is no longer than this."""
SMALL_PAGE_CHARS = 400
SMALL_PAGE_SHARE = 0.75
"""An article with this much of a small page, its menus aside, is all of that page."""
WALL_MAX_CHARS = 1500
"""A page with more visible text than this is never taken for a bot wall."""

MAX_INDENT_BYTES = 10_000_000
"""Larger JSON stays as it was sent, for its indented form would be cut anyway."""

MAX_PAGES_OPTION_CHARS = 200
MAX_GREP_CHARS = 1000
MAX_GREP_MATCHES = 200
MAX_LINE_CHARS = 500
CONTEXT_LINES = 2
REGEX_MEMORY_BYTES = 16 * 1024 * 1024

MAX_JQ_CHARS = 10_000
JQ_SECONDS = 5.0
JQ_MEMORY_BYTES = 512 * 1024 * 1024
JQ_IN_BYTES = 10_000_000
JQ_OUT_BYTES = 1_000_000
JQ_CHECK_SECONDS = 10.0
"""For all programs of one submit together."""
MAX_PROBLEMS = 50

PASSAGE_CHARS = 800
BLOCK_CHARS = 2000
"""A table or a code block up to this size stays whole."""
MAX_PASSAGES = 5
MAX_PASSAGES_CHARS = 4000
MAX_QUESTION_TERMS = 64

MAX_ROBOTS_BYTES = 500 * 1024
ROBOTS_CACHE_SECONDS = 300.0
MAX_ROBOTS_CACHE = 500

LIVE_SHARE_WITH_RECOVER = 2 / 3
"""Of a target's clock, when an archive may have to be asked after the live page."""
MAX_CAPTURES = 5
"""How many of the archive's copies are tried."""
MAX_CDX_BYTES = 1_000_000
MAX_ARCHIVE_REDIRECTS = 3
