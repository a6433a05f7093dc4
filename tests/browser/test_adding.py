"""A job from the form: what is pasted, what is uploaded, what is refused."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.places import ADD, JOBS, fact, row
from tests.browser.site import Site


def test_pasted_urls_become_a_job_with_the_options_that_were_picked(page: Page, site: Site) -> None:
    page.goto(JOBS)
    page.get_by_role("link", name="Add job").click()
    page.get_by_label("URLs").fill(f"{site.url}/tides\n{site.url}/stations.json\n")
    page.get_by_label("Mode").select_option(label="text: without marks and link targets")
    page.get_by_label("Grep").fill("lamp|Ness")
    page.get_by_label("Context").check()
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("Submitted 2 targets as job")).to_be_visible()
    expect(fact(page, "Status")).to_have_text("done")
    expect(fact(page, "Progress")).to_have_text("2 done")
    page.get_by_role("link", name="0", exact=True).click()
    for option, value in {"mode": "text", "grep": "lamp|Ness", "context": "true"}.items():
        expect(fact(page, "Options").get_by_role("row", name=option)).to_contain_text(value)
    expect(fact(page, "Content")).to_contain_text("the lamp of the harbour is lit at dusk")


def test_a_bad_option_is_told_before_anything_is_submitted_and_nothing_is_lost(
    page: Page, site: Site
) -> None:
    page.goto(ADD)
    written = {"URLs": f"{site.url}/tides", "Question": "When is the lamp lit?", "Grep": "(lamp"}
    for label, text in written.items():
        page.get_by_label(label).fill(text)
    page.get_by_label("Recover").check()
    page.get_by_role("button", name="Check only").click()

    expect(page.get_by_role("alert")).to_contain_text("No job was added")
    expect(page.locator(".field-grep .errorlist")).to_contain_text("missing )")
    expect(page.get_by_label("Grep")).to_have_attribute("aria-invalid", "true")
    for label, text in written.items():
        expect(page.get_by_label(label)).to_have_value(text)
    expect(page.get_by_label("Recover")).to_be_checked()

    page.get_by_label("Grep").fill("(lamp)")
    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_role("status")).to_have_text("1 target can be submitted.")
    expect(page.get_by_label("Question")).to_have_value(written["Question"])


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("list.txt", "{url}\n", "-"),
        ("list.csv", "url,grep\n{url},dusk\n", "grepdusk"),
        ("list.jsonl", json.dumps({"url": "{url}", "options": {"mode": "full"}}), "modefull"),
    ],
    ids=["TXT", "CSV", "JSONL"],
)
def test_a_file_becomes_a_job(page: Page, site: Site, name: str, text: str, options: str) -> None:
    page.goto(ADD)
    body = text.replace("{url}", f"{site.url}/tides").encode()
    page.get_by_label("File").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": body}
    )
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("Submitted 1 target as job")).to_be_visible()
    page.get_by_role("link", name="0", exact=True).click()
    expect(fact(page, "URL")).to_have_text(f"{site.url}/tides")
    expect(fact(page, "Options")).to_have_text(options)


def test_what_a_refused_file_said_stands_in_the_form(page: Page, site: Site) -> None:
    page.goto(ADD)
    text = f"url,pages\n{site.url}/tides,none\n"
    page.get_by_label("File").set_input_files(
        {"name": "list.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_role("alert")).to_contain_text("No job was added")
    expect(page.get_by_label("URLs")).to_have_value(text)
    page.get_by_label("URLs").fill(text.replace("none", "1-2"))
    page.get_by_role("button", name="Check only").click()
    expect(page.get_by_role("status")).to_have_text("1 target can be submitted.")


def test_the_same_list_again_leads_to_the_job_that_is_kept(page: Page, site: Site) -> None:
    addresses = []
    for _ in range(2):
        page.goto(ADD)
        page.get_by_label("URLs").fill(f"{site.url}/tides?again")
        page.get_by_role("button", name="Submit").click()
        expect(row(page, "/tides?again")).to_be_visible()
        addresses.append(page.url)
    assert addresses[0] == addresses[1]
    expect(page.get_by_text("No job was added, since one of the same targets")).to_be_visible()
