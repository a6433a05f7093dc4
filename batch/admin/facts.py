"""What a list tells about a target's result without loading it.

Results may have megabytes each, so a list defers them and asks the database for these few
words alone: by primary key and only for the rows of one page, so that nothing is sorted
together with a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce, Left, Length, NullIf

from batch.models import BatchTarget, TargetState

KIND_CHARS = 60
NOT_IN_LISTS = ("result", "options", "details")
_FACTS = "_facts"


@dataclass(frozen=True)
class Facts:
    """``kind``: the type that the fetch detected, else the one that was declared; ``chars``:
    how long the content is."""

    kind: str = ""
    chars: int | None = None


def load(targets: Sequence[BatchTarget], using: str) -> None:
    def word(key: str) -> Left:
        return Left(Cast(KT(f"result__meta__{key}"), TextField()), KIND_CHARS)

    # A fetch that says how long its content is spares the database from unpacking it, which
    # takes MariaDB 40 ms a megabyte. Some databases give JSON's null as a word.
    chars = Coalesce(
        NullIf(word("content_chars"), Value("null")),
        Cast(Length(KT("result__content")), TextField()),
        output_field=TextField(),
    )
    done = [target.pk for target in targets if target.status == TargetState.DONE]
    rows = (
        BatchTarget.objects.using(using)
        .filter(pk__in=done)
        .values_list("pk", word("detected_type"), word("content_type"), chars)
    )
    found = {
        pk: Facts(_word(detected) or _word(declared), int(n) if n and n.isdecimal() else None)
        for pk, detected, declared, n in rows
    }
    for target in targets:
        vars(target)[_FACTS] = found.get(target.pk, Facts())


def facts_of(target: BatchTarget) -> Facts:
    facts: Facts = vars(target)[_FACTS]
    return facts


def _word(text: str | None) -> str:
    return "" if text is None or text == "null" else text
