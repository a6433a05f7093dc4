"""``python -m bench.child MODULE``: one system under test, which does what its parent asks.

A system is a module with ``prepare()``, called first, and ASKED, the functions that may be asked
for by name.
"""

from __future__ import annotations

import importlib
import json
import os
import sys

import django


def main(name: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    if "DJANGO_SETTINGS_MODULE" in os.environ:
        django.setup()
    system = importlib.import_module(name)
    system.prepare()
    known = {function.__name__: function for function in system.ASKED}
    print("null", file=answers, flush=True)  # the answer to its start
    for line in sys.stdin:
        what, how = json.loads(line)
        print(json.dumps(known[what](**how)), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
