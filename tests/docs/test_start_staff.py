"""What docs/start/staff.md says in bold stands on the pages of the admin."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from batch.moves.end import cut_off
from batch.moves.workers import beat
from tests.databases import ALIAS
from tests.docs.documents import text
from tests.rules import jobs

PAGE = text("docs/start/staff.md")


def plain(page: str) -> str:
    """What can be read of it, also on its buttons."""
    buttons = re.sub(r'<input type="submit" value="([^"]+)"', r"\1<", page)
    buttons = re.sub(r'<input type="submit" name="\w+" value="([^"]+)"', r"\1<", buttons)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", buttons)).split()).casefold()


@pytest.mark.django_db
def test_every_name_in_bold_is_in_the_admin(admin_client: Client) -> None:
    beat("host:1:aa", 4, 1, timezone.now(), timezone.now(), ALIAS)
    waiting, partial, lost = jobs.submit(), jobs.terminal("partial"), jobs.submit()
    day = timedelta(days=1)
    assert cut_off(jobs.claim(lost), "restart: gone", "restart", day, ALIAS)

    addresses = [reverse(f"admin:batch_batchjob_{name}") for name in ("changelist", "add")]
    addresses += [reverse("admin:index")]
    addresses += [
        reverse("admin:batch_batchjob_change", args=[job]) for job in (waiting, partial, lost)
    ]
    addresses += [
        reverse("admin:batch_batchtarget_change", args=[target.pk]) for target in jobs.rows(partial)
    ]
    seen = ""
    for address in addresses:
        answer = admin_client.get(address)
        assert answer.status_code == 200, address
        seen += plain(answer.content.decode())

    names = [" ".join(name.split()) for name in re.findall(r"\*\*(.+?)\*\*", PAGE, re.DOTALL)]
    assert len(names) > 20
    assert [name for name in names if name.casefold() not in seen] == []
