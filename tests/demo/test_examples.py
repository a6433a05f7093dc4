"""The examples for a project of somebody else's, put into a fresh one and run."""

import re
from pathlib import Path

import pytest

from sift_batch.demo.local_site import LocalSite
from tests.demo.runs import run
from tests.processes import ROOT

SETUP = "import django; django.setup()\n"


def blocks(document: str) -> dict[str, str]:
    """A document's Python examples, by the comment in their first line."""
    found = re.findall(r"^```python\n# (\S+)\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    return dict(found)


@pytest.mark.parametrize(
    "name", ["README.md", pytest.param("docs/start/plugin.md", marks=pytest.mark.long)]
)
def test_the_examples_work_in_a_fresh_project(name: str, tmp_path: Path) -> None:
    examples = blocks((ROOT / name).read_text(encoding="utf-8"))
    run("-m", "django", "startproject", "shop", ".", folder=tmp_path)
    site = LocalSite()
    opened = {"ALLOWED_NETWORKS": ["127.0.0.1/32"], "ALLOWED_PORTS": [site.port]}
    for label in ("settings.py", "urls.py"):
        with (tmp_path / "shop" / label).open("a") as file:
            file.write(examples.pop(label))
    with (tmp_path / "shop/settings.py").open("a") as file:
        file.write(f"\nSIFT_FETCH = {opened}\n")
    script = SETUP + examples.pop("anywhere").replace("https://example.com", site.url)
    for path, text in examples.items():
        (tmp_path / path).write_text(text)
    (tmp_path / "script.py").write_text(script)

    run("manage.py", "migrate", folder=tmp_path)
    env = {"DJANGO_SETTINGS_MODULE": "shop.settings"}
    before = run("script.py", folder=tmp_path, **env)
    run("manage.py", "batch_worker", "--exit-when-idle", folder=tmp_path)
    after = run("script.py", folder=tmp_path, **env)
    site.close()

    # The second time the same submission finds the job of the first, and its results.
    assert before != after
    assert "pending" in before or "0 of" in before
    assert "failed" not in after
    assert ("Saltby Pier" in after) if name == "README.md" else ("done 1 of 1" in after)
