"""The demo's own web site gives what its targets ask for, and no other file."""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse

import pypdfium2
import pytest

from sift_batch.demo.local_site import LocalSite
from sift_batch.demo.pdf import pdf


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    served = LocalSite()
    yield served
    served.close()


def get(site: LocalSite, path: str) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", site.port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


@pytest.mark.parametrize(
    "path",
    ["/no-such-page.html", "/../play.py", "/../../settings.py", "/%2e%2e/play.py", "//etc/passwd"],
)
def test_what_is_no_page_of_it_is_not_found(site: LocalSite, path: str) -> None:
    assert get(site, path)[0].status == 404


def test_one_page_comes_in_an_old_encoding(site: LocalSite) -> None:
    answer, body = get(site, "/fr/marees.html")
    assert answer.headers["Content-Type"] == "text/html"
    assert "épave du « Cœur Léger »" in body.decode("windows-1252")


def test_the_rules_are_a_pdf_of_two_pages(site: LocalSite) -> None:
    answer, body = get(site, "/mooring-rules.pdf")
    assert answer.headers["Content-Type"] == "application/pdf"
    document = pypdfium2.PdfDocument(body)
    pages = [page.get_textpage().get_text_bounded() for page in document]
    document.close()
    assert [page.splitlines()[1] for page in pages] == [
        "Page 1: coming in",
        "Page 2: staying and leaving",
    ]


def test_a_pdf_keeps_the_signs_that_it_is_written_with() -> None:
    document = pypdfium2.PdfDocument(pdf([r"a (b) c\d é"]))
    assert document[0].get_textpage().get_text_bounded() == r"a (b) c\d é"
    document.close()
