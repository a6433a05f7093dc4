"""Results as files: what each form holds, and what hostile pages cannot make of it."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from batch import exports, results
from batch.errors import UnknownJobError
from batch.exports import csv_rows, front_matter, zip_files
from batch.models import BatchTarget
from batch.results import COLUMNS
from batch.runner import Runner
from tests.rules.jobs import claim, store, submit, terminal
from tests.unit.commands import run
from tests.unit.test_results import job_of

pytestmark = pytest.mark.django_db

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\uff1d1", " =1", "'=1", "'"]
HOSTILE = [
    *("---\nadmin: true", "a: b", "# no", "- x", "{a", "[a", "*a", "&a", "!!python/object:x", "%T"),
    *("|", ">", "'", '"', "\\", "a\\nb", "null", "yes", "1e3", "0o7", "1:30", "2020-01-01", "~"),
    *("\x00\x01\x1b", "\x7f\x85\xa0", "\u2028\u2029", "\ufeff\ufffe\uffff", "😀é漢", "\ud800", ""),
]


def data(form: str, *job_ids: str) -> bytes:
    return b"".join(exports.stream(form, *job_ids))


def jsonl(*job_ids: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data("jsonl", *job_ids).decode().splitlines()]


def table(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))


def archive(*job_ids: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data("zip", *job_ids)))


def index(opened: zipfile.ZipFile) -> list[dict[str, str]]:
    return table(opened.read("index.csv"))


def parts(document: str) -> tuple[dict[str, Any], str]:
    """A Markdown file's front matter and its content."""
    begin, matter, content = document.split("---\n", 2)
    assert begin == ""
    return yaml.safe_load(matter), content


def titled(title: str, **more: Any) -> dict[str, Any]:
    return {"result": {"content": "c", "meta": {"title": title, **more}}}


def test_jsonl_is_an_object_a_line() -> None:
    job_id = terminal("partial")
    done, failed = jsonl(job_id)
    assert tuple(done) == tuple(failed) == COLUMNS
    assert (done["job"], done["status"], done["content"]) == (job_id, "done", "a")
    assert (failed["status"], failed["content"], failed["code"]) == ("failed", None, "told_to_fail")


def test_no_text_ends_a_line_of_jsonl_too_early() -> None:
    text = "a\nb\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029 é漢😀"
    (row,) = jsonl(job_of({"url": text}, contents=text))
    assert row["content"] == row["url"] == text


def test_csv_has_a_byte_order_mark_and_every_column() -> None:
    raw = data("csv", terminal("partial"))
    assert raw.startswith(b"\xef\xbb\xbfjob,idx,url,")
    done, failed = table(raw)
    assert tuple(done) == COLUMNS
    assert (done["content"], done["meta"], done["options"]) == ("a", "{}", "{}")
    assert (failed["content"], failed["meta"], failed["details"]) == ("", "", "")


def test_csv_keeps_lines_quotes_commas_and_what_is_nested() -> None:
    text = 'a,"b"\r\nc;\n\rd\te é漢😀'
    meta = {"list": [1, {"é": None}], "text": text}
    job_id = job_of({"result": {"content": text, "meta": meta}, "options": {"grep": text}})
    (row,) = table(data("csv", job_id))
    assert row["content"] == text
    assert json.loads(row["meta"]) == meta
    assert json.loads(row["options"]) == {"grep": text}


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_no_cell_begins_like_a_formula_and_the_text_can_be_had_back(text: str) -> None:
    fields = {"url": text, "error": text, "hint": text, "code": text}
    (row,) = table(data("csv", job_of(fields, contents=text)))
    for name in ("content", *fields):
        assert row[name] == f"'{text}"
        assert row[name].removeprefix("'") == text


@pytest.mark.parametrize("text", ["a=1", "1", "é", "", " a", '"=1"', "https://e.com/"], ids=ascii)
def test_other_cells_are_left_as_they_are(text: str) -> None:
    assert table(data("csv", job_of({}, contents=text)))[0]["content"] == text


def test_a_csv_of_results_can_be_submitted_again(tmp_path: Path) -> None:
    place = tmp_path / "results.csv"
    place.write_bytes(data("csv", job_of({}, {})))
    done = run("batch_submit", str(place))
    assert done.code == 0, done.err
    job_id = done.out.split()[0]
    assert [row["url"] for row in jsonl(job_id)] == ["https://e.com/0", "https://e.com/1"]


def test_a_zip_has_a_file_for_each_target_that_is_done_and_an_index_of_all() -> None:
    job_id = terminal("partial")
    opened = archive(job_id)
    assert opened.testzip() is None
    file, last = opened.namelist()
    assert (file[:7], file[-3:], last) == ("000000-", ".md", "index.csv")
    known, content = parts(opened.read(file).decode())
    assert (known["job"], known["idx"], known["status"], content) == (job_id, 0, "done", "a")
    done, failed = index(opened)
    assert list(done) == ["file", *(name for name in COLUMNS if name not in ("content", "meta"))]
    assert (done["file"], done["status"]) == (file, "done")
    assert (failed["file"], failed["status"], failed["code"]) == ("", "failed", "told_to_fail")


@pytest.mark.parametrize("large", [False, True])
def test_no_fault_is_found_in_a_zip(large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(zip_files, "LARGE_INDEX_ROWS", 0)
    targets = [{"url": f"https://e.com/é/{i}"} for i in range(300)]
    with zipfile.ZipFile(io.BytesIO(data("zip", job_of(*targets)))) as opened:
        assert opened.testzip() is None
        assert len(index(opened)) == 300


def test_several_jobs_have_a_folder_each_in_a_zip() -> None:
    first, second = job_of({}, {}), job_of({})
    opened = archive(first, second, first)
    assert sorted(opened.namelist()) == sorted(
        [
            f"{first}/000000-e.com-0.md",
            f"{first}/000001-e.com-1.md",
            f"{second}/000000-e.com-0.md",
            "index.csv",
        ]
    )
    assert all(row["file"] in opened.namelist() for row in index(opened))
    assert len(table(data("csv", first, second, first))) == len(jsonl(first, second, first)) == 3


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.example.com/a/b.html?q=1#x", "000000-www.example.com-a-b.html.md"),
        ("https://user:pass@e.com/", "000000-e.com.md"),
        ("https://e.com/../../etc/passwd", "000000-e.com-.-.-etc-passwd.md"),
        ("https://e.com/\\..\\C:\x00\n", "000000-e.com-.-C.md"),
        ("/etc/passwd", "000000-etc-passwd.md"),
        ("https://bücher.example/漢字", "000000-b-cher.example.md"),
        ("漢字", "000000.md"),
        ("", "000000.md"),
        ("https://e.com/" + "x" * 5000, "000000-e.com-" + "x" * 54 + ".md"),
        ("https://e.com/CON:nul|<>*?", "000000-e.com-CON-nul.md"),
    ],
    ids=ascii,
)
def test_names_in_a_zip_are_safe(url: str, name: str) -> None:
    row = {"job": "j", "idx": 0, "url": url}
    assert zip_files._file_name(row, False) == name
    assert zip_files._file_name(row, True) == f"j/{name}"


def test_names_in_a_zip_sort_like_their_targets() -> None:
    rows = [{"job": "j", "idx": idx, "url": f"https://{-idx}.e.com"} for idx in (0, 9, 10, 99_999)]
    names = [zip_files._file_name(row, False) for row in rows]
    assert sorted(names) == names


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_front_matter_is_yaml_whatever_a_title_or_a_url_says(text: str) -> None:
    meta = {"title": text, text: [text, {text: text}], "n": [1, -0.5, 1e-07, 1.5e-9, True, None]}
    row = dict.fromkeys(COLUMNS) | {"url": text, "options": {text: text}, "meta": meta}
    known, content = parts(front_matter.document({**row, "content": f"---\n{text}"}))
    assert known["url"] == text
    assert known["options"] == {text: text}
    assert known["meta"] == meta
    assert known.get("title", "") == text
    assert content == f"---\n{text}"


def test_front_matter_may_have_long_keys_and_large_numbers() -> None:
    meta = {"k" * 5000: {"k" * 5000: [{"k" * 5000: 1}]}, "n": 10**999, "e": {}, "yes": [], "": 1}
    row = {**dict.fromkeys(COLUMNS), "meta": meta, "content": "c"}
    assert parts(front_matter.document(row))[0]["meta"] == meta


def test_hostile_titles_travel_through_the_database() -> None:
    stored = [text for text in HOSTILE if "\x00" not in text and text != "\ud800"]
    opened = archive(job_of(*[{**titled(text), "url": text} for text in stored]))
    found = [parts(opened.read(n).decode())[0] for n in opened.namelist() if n.endswith(".md")]
    assert [known["meta"]["title"] for known in found] == stored
    assert [known["url"] for known in found] == stored


@pytest.mark.parametrize("form", exports.FORMS)
def test_a_job_without_targets_is_a_file_all_the_same(form: str) -> None:
    raw = data(form, job_of())
    if form == "jsonl":
        assert raw == b""
    elif form == "csv":
        assert raw.decode("utf-8-sig") == ",".join(COLUMNS) + "\r\n"
    else:
        assert archive(job_of()).namelist() == ["index.csv"]


def test_targets_that_wait_have_rows_and_no_file() -> None:
    job_id = submit(3)
    store(claim(job_id), 0)
    assert [row["status"] for row in jsonl(job_id)] == ["done", "running", "pending"]
    assert [row["status"] for row in table(data("csv", job_id))] == ["done", "running", "pending"]
    opened = archive(job_id)
    assert len(opened.namelist()) == 2
    assert [(row["status"], bool(row["file"])) for row in index(opened)] == [
        ("done", True),
        ("running", False),
        ("pending", False),
    ]


def test_the_index_of_a_zip_agrees_with_its_files_though_targets_finish_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job_id = submit(4)
    taken = claim(job_id)
    store(taken, 0)
    index_of = zip_files._index

    def later(*args: Any) -> Any:
        store(taken, 1)
        store(taken, 2, None)
        return index_of(*args)

    monkeypatch.setattr(zip_files, "_index", later)
    opened = archive(job_id)
    rows = index(opened)
    assert [row["status"] for row in rows] == ["done", "running", "pending", "pending"]
    assert [row["file"] for row in rows if row["file"]] == opened.namelist()[:-1]
    assert not any(row["error"] or row["code"] or row["finished_at"] for row in rows[1:])
    assert [bool(row["started_at"]) for row in rows] == [True, True, False, False]


@pytest.mark.parametrize("form", exports.FORMS)
def test_a_job_that_is_removed_meanwhile_breaks_the_stream(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "PORTION_ROWS", 1)
    monkeypatch.setattr(exports, "CHUNK_BYTES", 1)
    job_id = terminal("done")
    pieces = exports.stream(form, job_id)
    first = [next(pieces)] + ([next(pieces)] if form == "csv" else [])
    Runner().delete(job_id)
    with pytest.raises(UnknownJobError):
        list(pieces)
    assert all(first)


@pytest.mark.parametrize("form", exports.FORMS)
def test_half_a_surrogate_pair_that_a_host_stored_by_hand_breaks_nothing(form: str) -> None:
    job_id = job_of({})
    rows = BatchTarget.objects.filter(job_id=job_id)
    with_half = [{**row, "content": "\ud800"} for row in results.result_rows(job_id)]
    assert rows.count() == len(with_half) == 1
    assert b"".join(csv_rows.lines(COLUMNS, with_half))
    assert front_matter.document(with_half[0]).encode(errors="replace").endswith(b"?")
