"""The form of a new job: URLs or whole targets, and options for those that bring none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.conf import settings as django_settings

from batch.admin.option_fields import OPTIONS, OptionsForm
from batch.errors import InvalidTargetsError
from batch.parsing import parse_targets
from batch.sources import parse_items
from batch.words import OPTION_TYPES, Problem, Target

FIELDSETS: Any = [
    ("Targets", {"fields": ["urls", "file"]}),
    (
        "Options",
        {
            "fields": OPTIONS,
            "description": "For every target. An option that a target brings along itself, in a"
            " column or an object of its own, is the one that holds for it.",
        },
    ),
]
FIELD_SPARE_BYTES = 64 * 1024  # of what a form may send, for all fields but the text


class JobForm(OptionsForm):
    """Once it is valid, ``targets`` are what to submit."""

    urls = forms.CharField(
        label="URLs",
        required=False,
        strip=False,
        widget=forms.Textarea({"rows": 12, "spellcheck": "false", "autocomplete": "off"}),
        help_text="One a line. Or CSV whose first line names a column url, and columns named like"
        ' options; or JSONL: one {"url": ..., "options": {...}} a line.',
    )
    file = forms.FileField(
        label="File",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput({"accept": ".txt,.csv,.jsonl,.ndjson,text/plain,text/csv"}),
    )

    def __init__(self, *args: Any, most_bytes: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.targets: list[Target] = []
        self._items: list[Any] = []
        self._from_text = 0  # how many of the items the text gave; the file gave the others
        self._file_text = ""
        self.fields["file"].help_text = (
            "TXT, CSV or JSONL as above, in UTF-8. All that is sent at once may have"
            f" {most_bytes:,} bytes."
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        self._items = self._read("urls", cleaned.get("urls", ""), "the text")
        self._from_text = len(self._items)
        if upload := cleaned.get("file"):
            try:
                self._file_text = upload.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                self.add_error("file", f"{upload.name} is not UTF-8 text: save it as UTF-8.")
            else:
                self._items += self._read("file", self._file_text, upload.name)
        if not self.errors:
            if self._items:
                self._parse(cleaned)
            else:
                self.add_error("urls", "Give at least one URL, here or in a file.")
        return cleaned

    def _read(self, field: str, text: str, name: str) -> list[Any]:
        try:
            return parse_items(text, name)
        except ValueError as error:
            self.add_error(field, f"{error}.")
            return []

    def _parse(self, cleaned: Mapping[str, Any]) -> None:
        options = {name: cleaned[name] for name in OPTIONS if cleaned[name]}
        try:
            self.targets = parse_targets(self._items, options)
        except InvalidTargetsError as error:
            self.tell(error.problems)

    def tell(self, problems: Iterable[Problem]) -> None:
        """Show each problem where it can be mended: at an option's field, once for all targets
        that take it from there, or with the row of its target."""
        told = set()
        for problem in problems:
            field, text = self._place(problem), self._text(problem)
            if (field, text) not in told:
                told.add((field, text))
                self.add_error(field, text)

    def _place(self, problem: Problem) -> str | None:
        if self._of_the_form(problem):
            return problem.field
        if problem.index is None:
            return None
        return "urls" if problem.index < self._from_text else "file"

    def _of_the_form(self, problem: Problem) -> bool:
        """Whether the fault is in what the form gives to all targets."""
        if problem.field not in OPTIONS:
            return False
        item = None if problem.index is None else self._item(problem.index)
        own = item.get("options") if isinstance(item, Mapping) else None
        return not (isinstance(own, Mapping) and problem.field in own)

    def _item(self, index: int) -> Any:
        return self._items[index] if 0 <= index < len(self._items) else None

    def _text(self, problem: Problem) -> str:
        # The texts may be the host's, and claim to be HTML: an f-string never does.
        hint = f" ({problem.hint})" if problem.hint and problem.hint not in problem.message else ""
        text = f"{problem.message}{hint}"
        if problem.index is None or self._of_the_form(problem):
            return text
        item = self._item(problem.index)
        url = item.get("url") if isinstance(item, Mapping) else item
        row = problem.index - (self._from_text if problem.index >= self._from_text else 0) + 1
        named = f" ({url[:200]})" if isinstance(url, str) and url.strip() else ""
        option = f", {problem.field}" if problem.field in OPTION_TYPES else ""
        return f"Target {row}{named}{option}: {text}"

    def keep_file(self) -> str:
        """Put what a refused form's file said into its text, for a browser does not choose the
        file again; what to tell about it."""
        text = self._file_text
        if not self.files.get("file"):
            return ""
        most = django_settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        fits = most is None or len(text.encode()) < most - FIELD_SPARE_BYTES
        read_well = len(self._items) > self._from_text
        if self.data.get("urls", "").strip() or not fits or not read_well:
            return "Choose the file again: a browser does not keep it."
        self.data = {**dict(self.data.items()), "urls": text}
        for error in self.errors.pop("file", []):
            self.add_error("urls", str(error))
        return "What the file said now stands in the field URLs."
