"""The idempotency key of a submission.

Two submissions are the same when caller and targets are the same, however the request was
spelled. The canonical form is what Go's ``encoding/json`` writes for the same values: compact,
fields in their declared order, ``<``, ``>``, ``&``, U+2028 and U+2029 escaped. Unicode is not
normalised, and the order of the targets counts.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from batch.types import Target

_GO_ESCAPES = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"})


def canonical(targets: Sequence[Target]) -> bytes:
    """The canonical JSON array of ``targets``, as UTF-8."""
    rows = []
    for target in targets:
        options = target.options.given()
        if extra := options.pop("extra", None):
            # A host's own object has no declared order: its keys are sorted, at every depth.
            options["extra"] = json.loads(json.dumps(extra, sort_keys=True))
        rows.append({"url": target.url, "options": options})
    text = json.dumps(rows, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_GO_ESCAPES).encode()


def idem_key(caller: str, targets: Sequence[Target]) -> str:
    """SHA-256 over the caller, a NUL and the canonical targets, in lower-case hex."""
    return hashlib.sha256(caller.encode() + b"\0" + canonical(targets)).hexdigest()
