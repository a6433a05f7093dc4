"""Whatever a page says, each form of its results gives it back as it was."""

import csv
import io
import json
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from batch.exports import csv_rows, front_matter, json_lines, zip_files
from batch.results import COLUMNS
from batch.text import clean, clean_json

quick = settings(max_examples=100, deadline=None)

texts = st.text().map(clean) | st.text("\n\r\t '=+-@\"\\:#{}[]|>~&*!%\x85\u2028\ufeff", max_size=9)
values: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Long ones as keys, too.
    | texts
    | texts.map(lambda text: text * 50),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
).map(lambda value: clean_json(value, "value"))
metas = st.dictionaries(texts | texts.map(lambda text: text * 50), values, max_size=4)


def row(**fields: Any) -> dict[str, Any]:
    return {**dict.fromkeys(COLUMNS), "job": "j", "idx": 7, **fields}


@quick
@given(texts, metas)
def test_front_matter_gives_everything_back(text: str, meta: dict[str, Any]) -> None:
    document = front_matter.document(row(url=text, content=text, meta=meta))
    begin, matter, content = document.split("---\n", 2)
    known = yaml.safe_load(matter)
    assert (begin, content, known["url"], known.get("meta", {})) == ("", text, text, meta)


@quick
@given(texts, texts, metas)
def test_csv_gives_everything_back_and_begins_no_cell_like_a_formula(
    text: str, other: str, meta: dict[str, Any]
) -> None:
    given_row = row(url=text, content=other, meta=meta)
    raw = b"".join(csv_rows.lines(COLUMNS, [given_row, given_row])).decode("utf-8-sig")
    for found in csv.DictReader(io.StringIO(raw, newline="")):
        assert found["url"].removeprefix("'") == text
        assert found["content"].removeprefix("'") == other
        assert json.loads(found["meta"]) == meta
        assert not any(cell.lstrip()[:1] in ("=", "+", "-", "@") for cell in found.values() if cell)


@quick
@given(metas)
def test_jsonl_is_one_line_for_whoever_splits_lines(meta: dict[str, Any]) -> None:
    line = json_lines.as_json(meta)
    assert len(line.splitlines()) == 1
    assert json.loads(line) == meta


@quick
@given(texts | texts.map(lambda text: f"https://{text}"))
def test_no_name_in_a_zip_leads_out_of_it(url: str) -> None:
    name = zip_files._file_name(row(url=url), False)
    assert name.startswith("000007")
    assert name.endswith(".md")
    assert ".." not in name
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
