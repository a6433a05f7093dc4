"""What the tests of faults share."""

from pathlib import Path

import pytest

from tests.faults.workers import Records


@pytest.fixture
def records(tmp_path: Path) -> Records:
    """Where `tests.fetches.record` notes what was fetched."""
    return Records(tmp_path)
