"""Ids of jobs, and names of what drains."""

import time
import uuid

from batch.ids import new_id, parse_id, process_name


def test_an_id_is_a_uuid_of_version_seven() -> None:
    one = new_id()
    assert (one.version, one.variant) == (7, uuid.RFC_4122)
    assert abs((one.int >> 80) / 1000 - time.time()) < 5


def test_ids_differ_and_later_ones_sort_later() -> None:
    first = [new_id() for _ in range(1000)]
    time.sleep(0.002)
    later = new_id()
    assert len(set(first)) == 1000
    assert all(one < later for one in first)
    assert all(str(one) < str(later) for one in first)


def test_only_what_spells_a_uuid_is_an_id() -> None:
    one = new_id()
    assert parse_id(str(one)) == parse_id(str(one).upper()) == parse_id(one) == one
    for odd in ("", "x", str(one)[:-1], str(one) + "0", None, 5, b"", [], "\0" * 32, "g" * 32):
        assert parse_id(odd) is None, odd


def test_names_of_processes_differ() -> None:
    assert process_name() != process_name()
    assert len(process_name()) <= 255
