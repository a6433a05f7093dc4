"""The process in which jq runs. Started as a script by ``jq_run``, never imported.

Arguments: the file of the jq binding, ``check`` or ``run``, the limits (seconds, bytes of
memory, bytes of output). Standard input: a JSON list of programs, in ``run`` of one program,
on the first line, then the JSON texts that it gets. Each answer is one line of JSON; a value
that a program gave has ``=`` before it.
"""

import importlib.machinery
import importlib.util
import json
import resource
import sys
from typing import Any


def main(binding: str, task: str, seconds: int, memory_bytes: int, out_bytes: int) -> None:
    sys.tracebacklimit = 0
    for what, limit in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, 2 * out_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        lower(what, limit)
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    jq = load(binding)
    programs = json.loads(sys.stdin.buffer.readline())
    text = sys.stdin.buffer.read().decode("utf-8")
    # Whatever a program finds to open, there is no number left for an open file.
    lower(resource.RLIMIT_NOFILE, 3)
    if task == "check":
        for program in programs:
            say(check(jq, program))
    else:
        run(jq, programs[0], text, out_bytes)


def lower(what: int, limit: int) -> None:
    """Set a limit, or keep the lower one that was inherited."""
    hard = resource.getrlimit(what)[1]
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(what, (limit, limit))


def load(path: str) -> Any:
    loader = importlib.machinery.ExtensionFileLoader("jq", path)
    module = importlib.util.module_from_spec(
        importlib.machinery.ModuleSpec("jq", loader, origin=path)
    )
    loader.exec_module(module)
    return module


def check(jq: Any, program: str) -> dict[str, Any]:
    try:
        jq.compile(program)
    except ValueError as bad:
        return {"error": str(bad)[:2000]}
    except MemoryError:
        return {"error": "it needs too much memory"}
    except RecursionError:
        return {"error": "it is nested too deeply"}
    return {"ok": True}


def run(jq: Any, program: str, text: str, out_bytes: int) -> None:
    written = 0
    try:
        for value in jq.compile(program).input_text(text):
            line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            written += len(line.encode("utf-8", "replace")) + 1
            if written > out_bytes:
                say({"limit": "output"})
                return
            sys.stdout.write(f"={line}\n")
    except ValueError as bad:
        say({"error": str(bad)[:2000]})
    except MemoryError:
        say({"limit": "memory"})
    except RecursionError:
        say({"limit": "depth"})
    else:
        say({"end": True})


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
