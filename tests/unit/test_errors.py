"""The errors that are raised on purpose."""

import copy
import pickle

import pytest

from batch import errors
from batch.types import Problem

PROBLEM = Problem(1, "mode", "bad_mode", "there is no mode 'x'", "use another")
ALL = [
    errors.TooManyTargetsError(32, 40),
    errors.CallerBusyError("job-1", 1),
    errors.JobsBusyError(8),
    errors.InvalidTargetsError([PROBLEM]),
    errors.UnknownJobError("job-1"),
    errors.JobLiveError("job-1"),
    errors.NothingToRetryError("job-1"),
    errors.FetchError("it is gone", "try again", code="gone", retryable=True, meta={"a": 1}),
]


@pytest.mark.parametrize("error", ALL, ids=lambda error: type(error).__name__)
def test_an_error_travels_between_processes(error: Exception) -> None:
    for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)


def test_every_error_of_the_runner_is_looked_at() -> None:
    public = {kind for kind in vars(errors).values() if isinstance(kind, type)}
    families = {errors.BatchError, errors.CapError}
    raised = {kind for kind in public if issubclass(kind, Exception)} - families
    assert {type(error) for error in ALL} == raised
