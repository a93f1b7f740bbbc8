"""Jobs on a local folder and in fsspec's memory, beside an adversary who changes their objects between any two steps."""

from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest
import sealstone
from adversary import ACTS, Place, Steps, beside, chosen, killed, killed_and_changed, steps_of


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Callable[[str, str], Place]]:
    count = iter(range(1 << 20))

    def place(kind: str, operation: str) -> Place:
        folder = tmp_path / str(next(count))
        folder.mkdir()
        return Place(f"{kind}://{folder}/data" if kind == "file" else f"memory://{folder}", folder, operation)

    yield place
    fsspec.filesystem("memory").store.clear()


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rewrap"])
def test_a_job_that_is_killed_claims_nothing_that_it_has_not_made(
    places: Callable[[str, str], Place], operation: str, act: str
) -> None:
    count = steps_of(places("file", operation).work)
    made = {killed_and_changed(places("file", operation), at, act) for at in chosen(count, operation + act)}
    assert made == {False, True}, "it was killed before and after its output appeared"


@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rewrap"])
def test_a_job_that_is_killed_at_any_step_ends_well(places: Callable[[str, str], Place], operation: str) -> None:
    states = set()
    for at in chosen(steps_of(places("file", operation).work), operation, 30):
        place = places("file", operation)
        killed(place.work, at)
        was_made = place.is_right()
        before = place.there()
        report = place.work()
        [row] = report.rows()
        assert place.is_right(), f"{row} at step {at}"
        assert row.state in (("done", "adopted") if was_made else ("done",)), row
        assert not was_made or place.there() == before
        if operation == "encrypt":
            assert {row.payload for row in report.rows()} == {payload_of(place.there())}
        states.add(row.state)
        assert [path.name for path in (place.folder / "data").rglob(".*")] == []
    assert states == {"done", "adopted"}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "rewrap"])
@pytest.mark.parametrize("kind", ["file", "memory"])
def test_an_adversary_beside_a_job_is_seen(
    places: Callable[[str, str], Place], kind: str, operation: str, act: str
) -> None:
    """It acts before the output appears, and is seen; or afterwards, and the job's claim was right."""
    if (kind, operation) == ("memory", "rewrap"):
        with pytest.raises(ValueError, match="target"):
            places(kind, operation).work()
        return
    with Steps() as steps:
        places(kind, operation).work()
    for at in chosen(steps.count, kind + operation + act):
        beside(places(kind, operation), at, act)


def payload_of(file: bytes | None) -> str:
    assert file is not None
    return sealstone.hash.hash("blake3", file[sealstone.inspect(file).header_len :]).hex()
