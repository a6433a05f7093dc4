"""What a test needs of the machine, and may do without."""

_CANNOT = "this machine cannot"


def cannot(do: str) -> str:
    """The reason for a skip that TEST_NO_SKIPS allows: no server is missing, but a right."""
    return f"{_CANNOT} {do}"


def is_allowed(reason: str) -> bool:
    """Whether a skip's reason is one of these."""
    return _CANNOT in reason
