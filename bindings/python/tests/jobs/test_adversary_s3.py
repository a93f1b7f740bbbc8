"""Jobs on an S3 server beside an adversary who changes their objects between any two steps, and jobs that are killed there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adversary import ACTS, Place, Steps, beside, chosen, killed, killed_and_changed, steps_of
from test_s3 import unfinished

CASES = [("encrypt", 23_000), ("decrypt", 23_000), ("rewrap", 23_000), ("encrypt", 17_000_000), ("rewrap", 17_000_000)]
"""The jobs, each with its number of bytes: short objects are one request, and long ones have parts."""


@pytest.fixture
def places(s3: Any, bucket: str, tmp_path: Path) -> Callable[[str, int], Place]:
    count = iter(range(1 << 20))

    def place(operation: str, length: int) -> Place:
        number = next(count)
        folder = tmp_path / str(number)
        folder.mkdir()
        return Place(f"s3://{bucket}/{number}", folder, operation, length)

    return place


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(("operation", "length"), CASES)
def test_a_job_that_is_killed_claims_nothing_that_it_has_not_made(
    places: Callable[[str, int], Place], operation: str, length: int, act: str
) -> None:
    count = steps_of(places(operation, length).work)
    for at in chosen(count, f"{operation} {length} {act}", 4):
        killed_and_changed(places(operation, length), at, act)


@pytest.mark.parametrize(("operation", "length"), CASES)
def test_a_job_that_is_killed_at_any_step_ends_well(
    places: Callable[[str, int], Place], operation: str, length: int, s3: Any, bucket: str
) -> None:
    states = set()
    for at in chosen(steps_of(places(operation, length).work), f"{operation} {length}", 12):
        place = places(operation, length)
        killed(place.work, at)
        was_made = place.is_right()
        before = place.there()
        [row] = place.work().rows()
        assert place.is_right(), f"{row} at step {at}"
        assert row.state in (("done", "adopted") if was_made else ("done",)), row
        assert not was_made or place.there() == before
        states.add(row.state)
    assert states == {"done", "adopted"}
    if operation != "rewrap":
        assert unfinished(s3, bucket) == []


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize(("operation", "length"), CASES)
def test_an_adversary_beside_a_job_is_seen(
    places: Callable[[str, int], Place], operation: str, length: int, act: str
) -> None:
    with Steps() as steps:
        places(operation, length).work()
    for at in chosen(steps.count, f"{act} {operation} {length}", 4):
        beside(places(operation, length), at, act)
