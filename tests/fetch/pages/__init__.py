"""Pages as they are found in the wild, with text of their own.

The files are in UTF-8, so that they can be read and changed; the test sends each in the charset
of its kind.
"""

from __future__ import annotations

from .kind import FOLDER, Kind
from .languages import LANGUAGES
from .listings import LISTINGS
from .markup import MARKUP
from .reference import REFERENCE
from .stories import STORIES

KINDS = (*STORIES, *REFERENCE, *LISTINGS, *MARKUP, *LANGUAGES)

__all__ = ["FOLDER", "KINDS", "Kind"]
