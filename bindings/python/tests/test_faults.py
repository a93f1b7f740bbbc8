"""Jobs on local folders under faults: workers and drivers are killed, inputs are damaged, disks are full."""

import fcntl
import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sealstone
from folders import at_work, begun, filled, list_of, tree
from helpers import missing, program
from sealstone import jobs
from sealstone.jobs import _plan, _task
from sealstone.jobs._entry import Entry, Job
from victims import Held, descendants, kill, lives, until, with_open, workers

IDENTITY = sealstone.generate_identity()
RECIPIENT = sealstone.recipient_of(IDENTITY)
COUNT = 24


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with objects in `src`, a list of them, and a file of the key."""
    monkeypatch.chdir(tmp_path)
    filled(tmp_path / "src", COUNT, 11)
    (tmp_path / "id").write_text(sealstone.export_identity(IDENTITY))
    (tmp_path / "r").write_text(str(RECIPIENT))
    return tmp_path


def encrypted(**settings: Any) -> jobs.Report:
    return jobs.encrypt(
        "src", "sealed", recipients=RECIPIENT, manifest="job", **{"workers": 2, "inventory": "list.parquet", **settings}
    )


def is_whole(place: Path, report: jobs.Report) -> bool:
    """Nothing is lost, nothing is there twice, nothing is partial: each input has one row and one output, and there is nothing else."""
    inputs = tree(place / "src")
    rows = list(report.rows())
    assert sorted(row.input for row in rows) == sorted(f"file://{place}/src/{name}" for name in inputs)
    assert {row.state for row in rows} <= {"done", "adopted"}, next(report.failures(), None)
    assert (report.done + report.adopted, report.failed, report.total) == (len(inputs), 0, len(inputs))
    assert report.bytes == sum(row.size for row in rows) == sum(map(len, inputs.values()))
    outputs = tree(place / "sealed")
    assert set(outputs) == {f"{name}.seal" for name in inputs}
    for name, data in inputs.items():
        assert sealstone.decrypt(outputs[f"{name}.seal"], identities=IDENTITY) == data
    return True


@pytest.mark.parametrize("together", [1, 8])
def test_a_worker_that_is_killed_before_it_reads_or_reports(
    place: Path, monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    """With 8 objects a task, the other 7 are published when the worker is killed, and their reports are lost with it."""
    monkeypatch.setattr(_plan, "TASK_FILES", together)
    held = Held(place / "src" / "f11")
    running = at_work(encrypted)
    worker = held.reader()
    others = {f"f{i:02}.seal" for i in range(8, 16)} - {"f11.seal"}
    until(lambda: together == 1 or others <= set(os.listdir("sealed")), "the others of the task are published")
    kill(worker)
    held.release()
    report = running.result()
    assert report.adopted >= together - 1
    assert is_whole(place, report)


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_a_worker_that_is_killed_in_the_middle_of_an_output(place: Path, operation: str) -> None:
    big = place / "src" / "f11"
    with open(big, "wb") as file:
        file.truncate(200 << 20)
    list_of(place / "src")
    target = "sealed"
    if operation == "decrypt":
        assert is_whole(place, encrypted())
        target = "plain"

    def work() -> jobs.Report:
        if operation == "encrypt":
            return encrypted()
        return jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="back", workers=2)

    running = at_work(work)
    start = f"{place}/{target}/#"
    worker = until(lambda: with_open(lambda name: name.startswith(start)), "an output without a name is open")
    kill(worker)
    report = running.result()
    if operation == "encrypt":
        assert is_whole(place, report)
    else:
        assert (report.done + report.adopted, report.failed) == (COUNT, 0)
        assert {row.input for row in report.rows()} == {f"file://{place}/sealed/f{i:02}.seal" for i in range(COUNT)}
        assert tree(place / "plain") == tree(place / "src")


def test_a_worker_that_is_killed_after_it_reported(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan, "TASK_FILES", 4)
    killed: list[int] = []

    def end_one(report: jobs.Report) -> None:
        if not killed:
            killed.append(workers()[0])
            kill(killed[0])

    report = encrypted(on_progress=end_one)
    assert killed
    assert is_whole(place, report)


def test_a_worker_that_is_killed_while_it_asks_for_its_key(place: Path) -> None:
    assert is_whole(place, encrypted())
    program = place / "keys.sh"
    program.write_text(f"#!/bin/sh\nmkdir {place}/asked 2>/dev/null && kill -9 $PPID\ncat {place}/id\n")
    program.chmod(0o700)
    report = jobs.decrypt("sealed", "plain", identities=f"exec:{program}", manifest="back", workers=2)
    assert (place / "asked").exists()
    assert (report.done + report.adopted, report.failed) == (COUNT, 0)
    assert tree(place / "plain") == tree(place / "src")


DRIVER = """
    from sealstone import jobs
    from sealstone.jobs import _plan

    if __name__ == "__main__":
        _plan.WAVE_FILES, _plan.TASK_FILES = 8, 2
        report = jobs.encrypt(
            "src", "sealed", recipients=open("r").read(), manifest="job", workers=2, inventory="list.parquet"
        )
"""


def driver(place: Path) -> "subprocess.Popen[bytes]":
    (place / "program.py").write_text(textwrap.dedent(DRIVER))
    return subprocess.Popen([sys.executable, "program.py"], cwd=place)


def resumed(monkeypatch: pytest.MonkeyPatch) -> jobs.Report:
    monkeypatch.setattr(_plan, "WAVE_FILES", 8)
    monkeypatch.setattr(_plan, "TASK_FILES", 2)
    return encrypted()


def test_a_driver_that_is_killed_in_a_wave(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(place / "src" / "f11")
    with driver(place) as child:
        worker = held.reader()
        others = descendants(child.pid)
        child.send_signal(signal.SIGKILL)
    assert worker in others
    # None waits for ever for a driver that is gone, and keeps its keys; the one that reads does not go on either.
    for one in others:
        until(lambda one=one: not lives(one), f"process {one} ends with its driver")  # type: ignore[misc]
    assert not os.path.exists("job/manifest/00000001-1.parquet")
    held.release()
    assert is_whole(place, resumed(monkeypatch))


def test_a_driver_that_is_killed_between_waves(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with driver(place) as child:
        until(lambda: os.path.exists("job/manifest/00000000-1.parquet"), "a wave is done")
        child.send_signal(signal.SIGKILL)
    assert is_whole(place, resumed(monkeypatch))


def test_a_driver_that_is_killed_while_it_writes_the_manifest(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = place / "job" / "manifest" / "00000001-1.parquet.new"
    part.parent.mkdir(parents=True)
    os.mkfifo(part)
    # It takes nothing more, so the driver stays at its write.
    pipe = os.open(part, os.O_RDWR)
    os.write(pipe, bytes(fcntl.fcntl(pipe, fcntl.F_GETPIPE_SZ)))
    with driver(place) as child:
        until(lambda: with_open(lambda name: name == str(part)), "the part is begun")
        child.send_signal(signal.SIGKILL)
    os.close(pipe)
    part.unlink()
    # Waves are taken in an order of chance, so of another one there may be no part: the plan's is Parquet as well.
    part.write_bytes(next((place / "job" / "plan").glob("*/00000001.parquet")).read_bytes()[:2000])
    report = resumed(monkeypatch)
    # Outputs of the second wave are there, and no part says so.
    assert report.adopted >= 8
    assert is_whole(place, report)
    assert sorted(os.listdir("job/manifest")) == [f"0000000{i}-1.parquet" for i in range(3)]


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
@pytest.mark.parametrize("size", [0, 100, 20_000_000])
def test_of_twins_one_publishes(place: Path, operation: Any, size: int) -> None:
    data = os.urandom(size)
    given = data if operation == "encrypt" else sealstone.encrypt(data, recipients=RECIPIENT)
    (place / "given").write_bytes(given)
    job = begun(Job("twins", operation, 0.0, (str(RECIPIENT),), f"file:{place}/id", folder=f"file://{place}/job"))
    entries = [Entry(f"file://{place}/given", len(given), "", f"file://{place}/made/it")]
    with ThreadPoolExecutor(4) as pool:
        rows = [rows[0] for rows in pool.map(lambda attempt: _task.run(job, entries, str(attempt)), range(4))]
    assert sorted(row.state for row in rows) == ["adopted", "adopted", "adopted", "done"]
    assert len({(row.commitment, row.output_etag) for row in rows}) == 1
    [(name, made)] = tree(place / "made").items()
    assert name == "it"
    assert data == (made if operation == "decrypt" else sealstone.decrypt(made, identities=IDENTITY))


def test_damaged_and_truncated_inputs_are_rows_and_nothing_else_is_touched(place: Path) -> None:
    for i in range(80):
        (place / "src" / f"g{i:02}").write_bytes(os.urandom(20_000))
    assert is_whole(place, encrypted(inventory=None))
    sealed = place / "sealed"
    changed = bytearray((sealed / "g17.seal").read_bytes())
    changed[-10] ^= 1
    (sealed / "g17.seal").write_bytes(changed)
    (sealed / "g18.seal").write_bytes((sealed / "g18.seal").read_bytes()[:-1])
    # Where a chunk ends, too.
    (sealed / "g19.seal").write_bytes((sealed / "g19.seal").read_bytes()[: -(20_000 - 16_384 + 16)])
    (sealed / "g20.seal").write_bytes((sealed / "g20.seal").read_bytes()[:100])
    report = jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="back", workers=2)
    failed = {row.input.rsplit("/", 1)[-1]: row.code for row in report.failures()}
    assert set(failed) == {"g17.seal", "g18.seal", "g19.seal", "g20.seal"}
    assert failed["g17.seal"] == "not_authentic"
    assert set(failed.values()) <= {"not_authentic", "truncated"}
    assert (report.done, report.failed, report.exit_status) == (COUNT + 76, 4, 5)
    assert len({row.input for row in report.rows()}) == COUNT + 80
    expected = {name: data for name, data in tree(place / "src").items() if f"{name}.seal" not in failed}
    assert tree(place / "plain") == expected


def test_inputs_that_change_or_go_after_they_were_listed_are_rows(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan, "TASK_FILES", 4)
    longer, other, gone = (place / "src" / name for name in ("f20", "f21", "f22"))

    def change(report: jobs.Report) -> None:
        if report.total == 4:
            longer.write_bytes(longer.read_bytes() + b"more")
            # As long as before, and newer.
            other.write_bytes(os.urandom(other.stat().st_size))
            os.utime(other, (2_000_000_000, 2_000_000_000))
            gone.unlink()

    report = encrypted(engine=None, workers=None, inventory=None, on_progress=change)
    failed = {row.input.rsplit("/", 1)[-1]: row.code for row in report.failures()}
    assert failed == {"f20": "input_changed", "f21": "input_changed", "f22": "io"}
    assert (report.done, report.failed) == (COUNT - 3, 3)
    assert set(tree(place / "sealed")) == {f"f{i:02}.seal" for i in range(COUNT) if i not in (20, 21, 22)}


def on_a_small_disk(place: Path, text: str) -> str:
    """Runs a program beside `full`, a disk of 1 MiB that no other process sees; returns its output."""
    start = """
        import errno, os, subprocess
        from sealstone import jobs
        from sealstone.jobs import _plan

        recipients, identities = open("r").read(), "file:" + os.path.abspath("id")

        def enlarge():
            subprocess.run(["mount", "-o", "remount,size=64m", "full"], check=True)

        def fill():
            with open("full/filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(bytes(4096))
                except OSError as error:
                    assert error.errno == errno.ENOSPC

        def below(folder):
            return sorted(name for _, _, names in os.walk(folder) for name in names)

    """
    alone = [program("unshare"), *([] if os.geteuid() == 0 else ["-r"]), "-m", "sh", "-c"]
    if subprocess.run([*alone, f"mount -t tmpfs none {place}"], stderr=subprocess.DEVNULL).returncode != 0:
        missing("the right to mount a disk")
    (place / "full").mkdir()
    (place / "program.py").write_text(textwrap.dedent(start) + textwrap.dedent(text))
    line = 'mount -t tmpfs -o size=1m none full && exec "$0" program.py'
    return subprocess.run(
        [*alone, line, sys.executable], cwd=place, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_a_full_disk_fails_what_does_not_fit_and_leaves_nothing_of_it(place: Path, operation: str) -> None:
    for i in range(COUNT):
        (place / "src" / f"f{i:02}").write_bytes(os.urandom(100_000))
    if operation == "decrypt":
        assert is_whole(place, encrypted(inventory=None))
    said = on_a_small_disk(
        place,
        f"""
        def work():
            if {operation == "encrypt"}:
                return jobs.encrypt("src", "full/made", recipients=recipients, manifest="fill", engine=None)
            return jobs.decrypt("sealed", "full/made", identities=identities, manifest="fill", engine=None)

        report = work()
        assert 0 < report.done < {COUNT} and report.done + report.failed == {COUNT}, report
        assert all(row.code == "io" and "space" in row.message for row in report.failures()), list(report.failures())
        assert len(below("full")) == report.done
        enlarge()
        report = work()
        assert (report.done, report.failed) == ({COUNT}, 0)
        if {operation == "decrypt"}:
            subprocess.run(["diff", "-r", "src", "full/made"], check=True)
        else:
            assert jobs.verify("full/made", identities=identities, manifest="check", engine=None).done == {COUNT}
        print(below("full") == sorted(name + {".seal" if operation == "encrypt" else ""!r} for name in os.listdir("src")))
        """,
    )
    assert said == "True\n"


def test_a_manifest_that_finds_no_space_ends_the_job_which_goes_on_later(place: Path) -> None:
    said = on_a_small_disk(
        place,
        f"""
        def work(**settings):
            return jobs.encrypt("src", "sealed", recipients=recipients, manifest="full/job", engine=None, **settings)

        def refused(name, **settings):
            try:
                work(**settings)
            except OSError as error:
                assert error.errno == errno.ENOSPC and error.filename.endswith(name), repr(error)
            else:
                raise AssertionError("it found space")
            assert not [name for name in below("full") if name.endswith(".new")]
            os.unlink("full/filler")

        os.mkdir("full/job")
        fill()
        refused("job.json")
        _plan.TASK_FILES = {COUNT} - 1
        refused("00000000-1.parquet", on_progress=lambda report: fill())
        # An object that cannot be written down is not published.
        assert len(below("sealed")) == {COUNT} - 1
        report = work()
        print(report.done, report.adopted, report.failed)
        """,
    )
    assert said == f"1 {COUNT - 1} 0\n"
    for name, sealed in tree(place / "sealed").items():
        assert (
            sealstone.decrypt(sealed, identities=IDENTITY) == (place / "src" / name.removesuffix(".seal")).read_bytes()
        )
