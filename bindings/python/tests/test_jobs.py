"""Jobs in processes of this machine, on local folders and in memory."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sealstone
from folders import begun, list_of, tree
from sealstone import errors, jobs
from sealstone.hash import hash
from sealstone.jobs import _command, _driver, _journal, _plan, _task
from sealstone.jobs._book import Book
from sealstone.jobs._driver import Report
from sealstone.jobs._entry import Entry, Job
from victims import Held, descendants, lives, until

IDENTITY = sealstone.generate_identity()
RECIPIENT = sealstone.recipient_of(IDENTITY)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with objects in `src`, and a file of the key."""
    monkeypatch.chdir(tmp_path)
    chosen = random.Random(7)
    for i in range(60):
        path = tmp_path / "src" / f"year={i % 3}" / f"part {i}é.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chosen.randbytes(chosen.randrange(0, 40_000)))
    (tmp_path / "src" / "empty").write_bytes(b"")
    (tmp_path / "id").write_text(sealstone.export_identity(IDENTITY))
    return tmp_path


def encrypted(place: Path, manifest: str = "job", **settings: Any) -> jobs.Report:
    return jobs.encrypt("src", "sealed", recipients=RECIPIENT, manifest=manifest, engine=None, **settings)


def test_a_folder_goes_round(place: Path) -> None:
    report = jobs.encrypt("src", "sealed", recipients=RECIPIENT, manifest="job", workers=2)
    assert (report.done, report.total, report.exit_status) == (61, 61, 0)
    assert report.bytes == sum(map(len, tree(place / "src").values()))
    assert {f"{name}.seal" for name in tree(place / "src")} == set(tree(place / "sealed"))
    identities = f"file:{place}/id"
    assert jobs.verify("sealed", identities=identities, manifest="check", workers=2).done == 61
    assert jobs.decrypt("sealed", "plain", identities=identities, manifest="back", workers=2).done == 61
    assert tree(place / "plain") == tree(place / "src")


def test_the_manifest_has_a_row_for_each_object(place: Path) -> None:
    report = encrypted(place)
    table = pq.read_table(place / "job" / "manifest")
    assert table.num_rows == 61
    rows = {row["input"]: row for row in table.to_pylist()}
    for name, data in tree(place / "src").items():
        row = rows[f"file://{place}/src/{name}"]
        sealed = (place / "sealed" / f"{name}.seal").read_bytes()
        assert (row["size"], row["state"], row["output"]) == (len(data), "done", f"file://{place}/sealed/{name}.seal")
        head = sealstone.inspect(sealed).header_len
        assert row["commitment"] == sealed[head + 24 : head + 56].hex()
        assert row["output_etag"]
        assert row["etag"]
    assert [row.input for row in report.rows()] == [
        entry["input"] for entry in pq.read_table(next((place / "job" / "plan").glob("*/00000000.parquet"))).to_pylist()
    ]
    described = json.loads((place / "job" / "job.json").read_text())
    assert described["operation"] == "encrypt"
    assert described["id"] == report.id


def test_what_is_there_is_not_replaced_and_what_is_ours_is_adopted(place: Path) -> None:
    encrypted(place)
    before = tree(place / "sealed")
    # Another job finds the outputs of this one.
    other = encrypted(place, "other")
    assert (other.failed, other.exit_status) == (61, 5)
    assert {row.code for row in other.failures()} == {"output_exists"}
    assert tree(place / "sealed") == before
    # The report of a wave was lost: its outputs are the job's.
    for path in (place / "job" / "manifest").iterdir():
        path.unlink()
    again = encrypted(place)
    assert (again.adopted, again.failed) == (61, 0)
    assert tree(place / "sealed") == before
    assert all(row.commitment for row in again.rows())
    # All is done, so nothing is read again.
    assert encrypted(place).adopted == 61


def test_an_output_of_another_length_is_not_adopted(place: Path) -> None:
    encrypted(place)
    for path in (place / "job" / "manifest").iterdir():
        path.unlink()
    victim = place / "sealed" / "empty.seal"
    victim.unlink()
    victim.write_bytes(sealstone.encrypt(b"somebody else's", recipients=RECIPIENT))
    report = encrypted(place)
    assert (report.adopted, report.failed) == (60, 1)
    assert next(report.failures()).input.endswith("/src/empty")


def test_what_has_failed_is_tried_again_and_the_rest_is_not(place: Path) -> None:
    (place / "src" / "empty").unlink()
    os.mkfifo(place / "src" / "empty")
    missing = place / "src" / "year=0" / "part 0é.csv"
    listing = pa.table(
        {
            "input": [f"file://{missing}", f"file://{place}/src/none"],
            "size": [missing.stat().st_size, 3],
            "etag": ["", ""],
        }
    )
    pq.write_table(listing, place / "list.parquet")
    report = encrypted(place, inventory="list.parquet")
    assert (report.done, report.failed) == (1, 1)
    assert next(report.failures()).code == "io"
    (place / "src" / "none").write_bytes(b"abc")
    report = encrypted(place, inventory="list.parquet")
    assert (report.done, report.failed) == (2, 0)
    assert sorted(path.name for path in (place / "job" / "manifest").iterdir()) == [
        "00000000-1.parquet",
        "00000000-2.parquet",
    ]


def test_what_there_is_nothing_to_do_with_is_skipped(place: Path) -> None:
    (place / "src" / "film.seal").write_bytes(sealstone.encrypt(b"x", recipients=RECIPIENT))
    report = encrypted(place)
    assert (report.done, report.skipped) == (61, 1)
    (place / "sealed" / "readme").write_bytes(b"no sealed file")
    back = jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="back", engine=None)
    assert (back.done, back.skipped) == (61, 1)
    assert [row.code for row in back.rows() if row.state == "skipped"] == ["not_sealstone"]


def test_a_job_that_had_ended_says_that_it_looks_at_nothing(place: Path) -> None:
    assert encrypted(place).notes == []
    (place / "src" / "late").write_bytes(b"came since")
    again = encrypted(place)
    assert again.done == 61
    assert again.notes[0].startswith("This job had already ended, and has checked nothing now.")


def test_symbolic_links_are_what_they_lead_to(place: Path) -> None:
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "x").write_bytes(b"attack at dawn")
    (place / "src" / "link").symlink_to("../elsewhere/x")
    (place / "src" / "folder").symlink_to("../elsewhere")
    (place / "src" / "dangling").symlink_to("nowhere")
    report = encrypted(place)
    assert (report.done, report.failed) == (62, 1)
    [failed] = report.failures()
    assert failed.input == f"file://{place}/src/dangling" and "No such file" in failed.message
    assert sealstone.decrypt((place / "sealed" / "link.seal").read_bytes(), identities=IDENTITY) == b"attack at dawn"


def test_damage_is_a_row_and_writes_nothing(place: Path) -> None:
    encrypted(place)
    victim = next(path for path in (place / "sealed").rglob("*.seal") if path.stat().st_size > 20_000)
    damaged = bytearray(victim.read_bytes())
    damaged[-10] ^= 1
    victim.write_bytes(damaged)
    for work in (
        lambda: jobs.verify("sealed", identities=f"file:{place}/id", manifest="check", engine=None),
        lambda: jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="back", engine=None),
    ):
        report = work()
        assert (report.done, report.failed, report.exit_status) == (60, 1, 5)
        row = next(report.failures())
        assert (row.code, row.input) == ("not_authentic", f"file://{victim}")
    assert len(tree(place / "plain")) == 60


@pytest.mark.parametrize("damage", [b"", b"\x88SEAL\r\n\x1a" + bytes(300), b"plaintext"])
def test_a_sealed_object_that_is_none_any_more_is_damaged(place: Path, damage: bytes) -> None:
    encrypted(place)
    (place / "sealed" / "empty.seal").write_bytes(damage)
    (place / "sealed" / "readme").write_bytes(b"never was one")
    # A backup is whole when all of it is sealed.
    report = jobs.verify("sealed", identities=f"file:{place}/id", manifest="check", engine=None)
    assert sorted((row.code, row.input) for row in report.failures()) == [
        ("not_sealstone", f"file://{place}/sealed/{name}") for name in ("empty.seal", "readme")
    ]
    decrypted = jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="back", engine=None)
    assert decrypted.notes and decrypted.notes[0].startswith("1 skipped: they are not sealed files")
    looked = jobs.inspect("sealed", manifest="look", engine=None)
    rotated = jobs.rewrap(
        "sealed", identities=f"file:{place}/id", recipients=RECIPIENT, suffix="empty.seal", manifest="turn", engine=None
    )
    for report in (decrypted, looked, rotated):
        assert [(row.code, row.input) for row in report.failures()] == [
            ("not_sealstone", f"file://{place}/sealed/empty.seal")
        ]
        assert (report.done, report.skipped, report.exit_status) == (60, 1, 5)


def test_names_that_lead_out_of_the_target_are_refused(place: Path) -> None:
    fs = fsspec.filesystem("memory")
    sealed = sealstone.encrypt(b"planted", recipients=RECIPIENT)
    names = ["/b/x/../../../planted.seal", "/b/x/./one.seal", "/b/x//two.seal", "/b/x/good.seal"]
    listing = pa.table(
        {"input": [f"memory://{name}" for name in names] + ["memory:///elsewhere/c"], "size": [len(sealed)] * 5}
    )
    pq.write_table(listing, place / "list.parquet")
    fs.pipe({"/b/x/good.seal": sealed})
    report = jobs.decrypt(
        "memory://b/x", "plain", identities=f"file:{place}/id", manifest="back", engine=None, inventory="list.parquet"
    )
    assert [row.code for row in report.rows()] == ["unsafe_name", "unsafe_name", "unsafe_name", "", "unsafe_name"]
    assert tree(place / "plain") == {"good": b"planted"}
    assert not (place.parent / "planted").exists()
    fs.rm("/b", recursive=True)


def test_names_that_look_like_other_urls_are_names(place: Path) -> None:
    names = ["a*b", "q?x", "br[1]", "h#1", "per%41", "line\nbreak"]
    for name in ["report", *names]:
        (place / "names" / name).parent.mkdir(exist_ok=True)
        (place / "names" / name).write_text(name)
    report = jobs.encrypt("names", "memory://names", recipients=RECIPIENT, manifest="job", engine=None)
    assert (report.done, report.failed) == (7, 0), next(report.failures(), None)
    assert (
        jobs.decrypt("memory://names", "plain", identities=f"file:{place}/id", manifest="back", engine=None).done == 7
    )
    assert tree(place / "plain") == tree(place / "names")
    fsspec.filesystem("memory").rm("/names", recursive=True)


def test_of_two_objects_with_one_output_none_is_lost_unseen(place: Path) -> None:
    (place / "two").mkdir()
    for name in ("a", "a.seal"):
        (place / "two" / name).write_bytes(sealstone.encrypt(name.encode().ljust(8), recipients=RECIPIENT))
    report = jobs.decrypt("two", "plain", identities=f"file:{place}/id", manifest="back", engine=None)
    assert (report.done, report.failed) == (1, 1)
    assert next(report.failures()).code == "output_exists"


def test_folders_of_others_are_left_alone(place: Path) -> None:
    (place / "mine" / "plan").mkdir(parents=True)
    (place / "mine" / "plan" / "roadmap.txt").write_text("precious")
    with pytest.raises(errors.OutputExists, match="but no job"):
        encrypted(place, "mine")
    assert (place / "mine" / "plan" / "roadmap.txt").read_text() == "precious"
    with pytest.raises(ValueError, match="empty"):
        encrypted(place, "")
    with pytest.raises(ValueError, match="password"):
        jobs.verify("ftp://alice:secret@host/x", identities=f"file:{place}/id", manifest="check")
    assert not (place / "sealed").exists()


def test_a_pattern_is_rotated_in_place(place: Path) -> None:
    encrypted(place)
    other = sealstone.generate_identity()
    report = jobs.rewrap(
        "sealed/year=1/*.seal",
        identities=f"file:{place}/id",
        recipients=sealstone.recipient_of(other),
        replace=True,
        manifest="turn",
        engine=None,
    )
    assert (report.done, report.failed) == (20, 0)
    assert sum(not sealstone.inspect_file(path).stanzas[0].kind for path in (place / "sealed").rglob("*.seal")) == 0
    old = jobs.verify("sealed", identities=f"file:{place}/id", manifest="check", engine=None)
    assert (old.done, {row.code for row in old.failures()}) == (41, {"no_matching_identity"})


def test_into_the_source_itself(place: Path) -> None:
    report = jobs.encrypt("src", "src", recipients=RECIPIENT, manifest="src/job", engine=None)
    assert (report.done, report.failed, report.total) == (61, 0, 61)
    assert (place / "src" / "empty.seal").exists()
    # An object that came later, with a manifest of its own.
    (place / "src" / "later").write_bytes(b"x")
    report = jobs.encrypt("src", "src", recipients=RECIPIENT, manifest="src/job2", engine=None, skip_existing=True)
    names = {row.input.rsplit("/", 1)[-1] for row in report.rows() if row.state == "done"}
    assert "later" in names
    assert report.failed == 0


def test_a_job_at_work_is_left_alone(place: Path) -> None:
    def again(report: jobs.Report) -> None:
        with pytest.raises(errors.OutputExists, match="another process"):
            encrypted(place)

    assert encrypted(place, on_progress=again).done == 61
    assert encrypted(place).done == 61


def test_to_verify_again_takes_another_manifest(place: Path) -> None:
    encrypted(place)

    def verified(manifest: str) -> jobs.Report:
        return jobs.verify("sealed", identities=f"file:{place}/id", manifest=manifest, engine=None)

    assert verified("check").done == 61
    with pytest.raises(errors.OutputExists, match="another manifest"):
        verified("check")
    assert verified("check2").done == 61
    (place / "none").mkdir()
    for nothing in ("none", "src/*.nothing"):
        with pytest.raises(FileNotFoundError):
            jobs.encrypt(nothing, "x", recipients=RECIPIENT, manifest=f"of {nothing[:3]}", engine=None)


def test_what_begins_as_a_sealed_file_and_is_none_is_encrypted(place: Path) -> None:
    (place / "src" / "payroll").write_bytes(b"\x89SEAL\r\n\x1a" + b" name,salary" * 10)
    (place / "link").write_bytes(b"linked")
    (place / "src" / "link").symlink_to(place / "link")
    report = encrypted(place)
    assert (report.done, report.skipped) == (63, 0)
    assert sealstone.decrypt((place / "sealed" / "link.seal").read_bytes(), identities=IDENTITY) == b"linked"


def test_an_object_that_changed_since_it_was_listed_fails(place: Path) -> None:
    fs = fsspec.filesystem("memory")
    fs.pipe({f"/changed/{name}": data for name, data in tree(place / "src").items()})
    listing = pa.table({"input": ["memory:///changed/empty"], "size": [5]})
    pq.write_table(listing, place / "list.parquet")
    report = jobs.encrypt(
        "memory://changed", "sealed", recipients=RECIPIENT, manifest="job", engine=None, inventory="list.parquet"
    )
    assert next(report.failures()).code == "input_changed"
    assert not (place / "sealed").exists() or tree(place / "sealed") == {}
    fs.rm("/changed", recursive=True)


def test_other_file_systems(place: Path) -> None:
    fs = fsspec.filesystem("memory")
    report = jobs.encrypt(
        "src", "memory://jobs/sealed", recipients=RECIPIENT, manifest="memory://jobs/job", engine=None
    )
    assert (report.done, report.failed) == (61, 0), next(report.failures(), None)
    assert len(fs.find("/jobs/sealed")) == 61
    assert jobs.verify("memory://jobs/sealed", identities=f"file:{place}/id", manifest="check", engine=None).done == 61
    back = jobs.decrypt("memory://jobs/sealed", "plain", identities=f"file:{place}/id", manifest="back", engine=None)
    assert back.done == 61
    assert tree(place / "plain") == tree(place / "src")
    # Plaintext is for its owner alone, wherever it comes from.
    assert {path.stat().st_mode & 0o777 for path in (place / "plain").rglob("*") if path.is_file()} == {0o600}
    fs.rm("/jobs", recursive=True)


def test_rewrapping_moves_a_folder_to_other_keys(place: Path) -> None:
    encrypted(place)
    other = sealstone.generate_identity()
    (place / "other").write_text(sealstone.export_identity(other))
    report = jobs.rewrap(
        "sealed",
        "moved",
        identities=f"file:{place}/id",
        recipients=sealstone.recipient_of(other),
        replace=True,
        manifest="move",
        engine=None,
    )
    assert (report.done, report.failed) == (61, 0)
    assert "revoked" in report.notes[0]
    assert jobs.verify("moved", identities=f"file:{place}/other", manifest="a", engine=None).done == 61
    old = jobs.verify("moved", identities=f"file:{place}/id", manifest="b", engine=None)
    assert {row.code for row in old.failures()} == {"no_matching_identity"}
    # The payload is the same, and its commitment names it.
    before = sorted(row.commitment for row in jobs.inspect("sealed", manifest="c", engine=None).rows())
    assert before == sorted(row.commitment for row in report.rows())


def test_rotation_in_place(place: Path) -> None:
    encrypted(place)
    other = sealstone.generate_identity()
    (place / "other").write_text(sealstone.export_identity(other))

    def rotated() -> jobs.Report:
        return jobs.rewrap(
            "sealed",
            identities=f"file:{place}/id",
            recipients=sealstone.recipient_of(other),
            replace=True,
            manifest="turn",
            engine=None,
        )

    assert rotated().done == 61
    moved = tree(place / "sealed")
    assert jobs.verify("sealed", identities=f"file:{place}/other", manifest="a", engine=None).done == 61
    # The report was lost: a file with its new head gets no other one.
    for path in (place / "turn" / "manifest").iterdir():
        path.unlink()
    report = rotated()
    assert (report.adopted, report.failed) == (61, 0)
    assert tree(place / "sealed") == moved
    with pytest.raises(ValueError, match="target"):
        jobs.rewrap("memory://x", identities="file:id", recipients=RECIPIENT, manifest="other")


def test_a_payload_that_was_replaced_under_its_key_is_seen(place: Path) -> None:
    """It opens with the same key and is whole: only its hash tells."""
    made = encrypted(place)
    paths = sorted((place / "sealed").rglob("*.seal"))
    replaced, lost = paths[3], paths[5]
    for row in made.rows():
        sealed = Path(row.output.removeprefix("file://")).read_bytes()
        assert row.payload == hash("blake3", sealed[sealstone.inspect(sealed).header_len :]).hex()
    assert made.unhashed == 0
    replaced.write_bytes(sealstone.encrypt(b"another one", recipients=RECIPIENT))
    lost.unlink()
    identities = f"file:{place}/id"

    def states(report: jobs.Report) -> Counter[tuple[str, str]]:
        failed = {row.input: row.code for row in report.failures()}
        assert failed == {f"file://{replaced}": "payload_changed", f"file://{lost}": "io"}
        return Counter((row.state, row.code) for row in report.rows())

    def verified(manifest: str, **settings: Any) -> jobs.Report:
        return jobs.verify("sealed", identities=identities, manifest=manifest, engine=None, **settings)

    assert verified("alone").failed == 0
    assert states(verified("compared", earlier="job")) == {
        ("done", ""): 59,
        ("failed", "payload_changed"): 1,
        ("failed", "io"): 1,
    }
    assert states(
        jobs.decrypt("sealed", "plain", identities=identities, manifest="back", earlier="job", engine=None)
    ) == {("done", ""): 59, ("failed", "payload_changed"): 1, ("failed", "io"): 1}
    assert not [name for name in tree(place / "plain") if name in (replaced.stem, lost.stem)]
    # A job on one folder misses no others, and reports a file that no manifest has.
    report = jobs.verify("sealed/year=0/*.seal", identities=identities, manifest="some", earlier="job", engine=None)
    assert report.total == sum(path.parent.name == "year=0" for path in paths if path != lost)
    assert [note[:7] for note in report.notes] == ["Missing"]
    (place / "sealed" / "new.seal").write_bytes(sealstone.encrypt(b"x", recipients=RECIPIENT))
    report = verified("more", earlier="compared")
    assert report.notes == [
        "The earlier job did not finish 2 of its objects.",
        "The earlier manifest has no payload hash of 2 objects: they were not compared.",
    ]


def test_rotation_carries_hashes_of_payloads_over(place: Path) -> None:
    made = encrypted(place)
    other = sealstone.generate_identity()
    (place / "other").write_text(sealstone.export_identity(other))
    victim = next((place / "sealed").rglob("*.seal"))
    victim.write_bytes(sealstone.encrypt(b"another one", recipients=RECIPIENT))
    changed = victim.read_bytes()

    def rotated(manifest: str, target: str | None, **settings: Any) -> jobs.Report:
        new = sealstone.recipient_of(other)
        identities = f"file:{place}/id"
        return jobs.rewrap(
            "sealed",
            target,
            identities=identities,
            recipients=new,
            replace=True,
            manifest=manifest,
            engine=None,
            **settings,
        )

    for target in ("moved", None):
        report = rotated(f"turn {target}", target, earlier="job")
        assert [(row.input, row.code) for row in report.failures()] == [(f"file://{victim}", "payload_changed")]
        assert victim.read_bytes() == changed
        payloads = {row.output: row.payload for row in made.rows()}
        assert {row.payload for row in report.rows() if row.state == "done"} < set(payloads.values())
        assert (report.done, report.unhashed) == (60, 0)
    report = jobs.verify("sealed", identities=f"file:{place}/other", manifest="check", earlier="turn None", engine=None)
    assert [(row.input, row.code) for row in report.failures()] == [(f"file://{victim}", "no_matching_identity")]


def test_what_has_an_output_that_is_not_its_own_is_not_skipped(place: Path, vectors: Path) -> None:
    encrypted(place)
    victims = sorted((place / "sealed").rglob("*.seal"))[:4]
    victims[0].write_bytes(b"no sealed file")
    victims[1].write_bytes(victims[1].read_bytes()[:-3])
    (place / "src" / victims[2].relative_to(place / "sealed").with_suffix("")).write_bytes(b"it has grown since" * 9000)
    compressed = (vectors / "file" / "compressed_content_of_65792").read_bytes().partition(b"\n\n")[2]
    (place / "src" / victims[3].relative_to(place / "sealed").with_suffix("")).write_bytes(
        bytes(sealstone.inspect(compressed).plaintext_len)
    )
    victims[3].write_bytes(compressed)
    report = encrypted(place, "later", skip_existing=True)
    assert (report.skipped, report.failed) == (57, 4)
    assert {row.output for row in report.failures()} == {f"file://{path}" for path in victims}
    assert {row.code for row in report.failures()} == {"output_exists"}


def test_a_worker_that_cannot_write_down_what_it_does_publishes_nothing(place: Path) -> None:
    job = Job("lost", "encrypt", time.time(), (str(RECIPIENT),), folder=f"file://{place}/nowhere")
    entries = [Entry(f"file://{place}/src/empty", 0, "", f"file://{place}/sealed/empty.seal")]
    [row] = _task.run(job, entries)
    assert (row.state, row.code) == ("failed", "io")
    assert "the manifest must be where all workers can write" in row.message
    assert tree(place / "sealed") == {}
    assert not (place / "nowhere").exists()


def test_a_line_of_the_journal_that_did_not_come_to_its_end_is_none(place: Path) -> None:
    encrypted(place)
    for path in (place / "job" / "manifest").iterdir():
        path.unlink()
    [journal] = (place / "job" / "journal" / "00000000").iterdir()
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 61
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:-1])
    report = encrypted(place)
    assert (report.adopted, report.failed) == (60, 1)
    assert next(report.failures()).output == json.loads(lines[-1])["output"]


def test_the_time_of_a_file_proves_nothing(place: Path) -> None:
    """A job was ended after it had planned; meanwhile an application, a stranger and a full disk change three files."""
    encrypted(place)
    new = sealstone.recipient_of(sealstone.generate_identity())

    def rotated(**settings: Any) -> jobs.Report:
        identities = f"file:{place}/id"
        return jobs.rewrap(
            "sealed", identities=identities, recipients=new, replace=True, manifest="turn", engine=None, **settings
        )

    class Planned(Exception):
        pass

    class Ended:
        def run(self, job: Any, tasks: Any) -> Any:
            raise Planned

    with pytest.raises(Planned):
        jobs.rewrap(
            "sealed", identities=f"file:{place}/id", recipients=new, replace=True, manifest="turn", engine=Ended()
        )
    one, two, three = sorted((place / "sealed").rglob("*.seal"))[:3]
    one.write_bytes(sealstone.encrypt(b"of an application", recipients=RECIPIENT))
    two.write_bytes(sealstone.encrypt(b"x", recipients=sealstone.recipient_of(sealstone.generate_identity())))
    three.write_bytes(three.read_bytes()[:-100])
    left = {path: path.read_bytes() for path in (one, two, three)}
    report = rotated()
    assert (report.done, report.adopted, report.failed, report.exit_status) == (58, 0, 3, 5)
    assert {(row.output, row.code) for row in report.failures()} == {
        (f"file://{path}", "input_changed") for path in left
    }
    assert {path: path.read_bytes() for path in left} == left


class Meanwhile:
    """An engine beside which an adversary acts when the plan is there, and which may end before it reports."""

    def __init__(self, act: Callable[[], object] = lambda: None, is_killed: bool = False) -> None:
        self._act, self._is_killed = act, is_killed

    def run(self, job: Job, tasks: Any) -> Any:
        self._act()
        for rows in _driver._Here().run(job, tasks):
            if self._is_killed:
                raise KeyboardInterrupt
            yield rows


def test_a_folder_that_cannot_be_listed_is_no_empty_one(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = fsspec.filesystem("memory")
    fs.pipe({"/unlisted/a": b"x", "/unlisted/sub/b": b"y"})
    listed = type(fs).ls

    def ls(self: Any, path: str, detail: bool = True, **rest: Any) -> Any:
        if path.rstrip("/").endswith("sub"):
            raise OSError("503 slow down")
        return listed(self, path, detail=detail, **rest)

    monkeypatch.setattr(type(fs), "ls", ls)
    for source in ("memory://unlisted", "memory://unlisted/**"):
        with pytest.raises(OSError, match="503"):
            jobs.encrypt(source, "x", recipients=RECIPIENT, manifest=f"job {source[-1:]}", engine=None)
    fs.store.clear()


@pytest.mark.parametrize("operation", ["encrypt", "decrypt", "verify"])
def test_what_changes_in_memory_after_it_was_listed_fails(place: Path, operation: str) -> None:
    fs = fsspec.filesystem("memory")

    def given(letter: bytes) -> bytes:
        return letter * 1000 if operation == "encrypt" else sealstone.encrypt(letter * 1000, recipients=RECIPIENT)

    fs.pipe_file("/changing/a.seal", given(b"A"))
    common: Any = {
        "manifest": "job",
        "engine": Meanwhile(lambda: fs.pipe_file("/changing/a.seal", given(b"B"))),
    }
    if operation == "encrypt":
        report = jobs.encrypt("memory://changing", "out", recipients=RECIPIENT, **common)
    elif operation == "decrypt":
        report = jobs.decrypt("memory://changing", "out", identities=f"file:{place}/id", **common)
    else:
        report = jobs.verify("memory://changing", identities=f"file:{place}/id", **common)
    assert [row.code for row in report.rows()] == ["input_changed"]
    assert tree(place / "out") == {}
    fs.store.clear()


def test_an_earlier_manifest_knows_what_its_job_has_skipped(place: Path) -> None:
    encrypted(place)
    (place / "src" / "later").write_bytes(b"x")
    assert encrypted(place, "second", skip_existing=True).done == 1
    (place / "sealed" / "empty.seal").unlink()
    identities = f"file:{place}/id"
    report = jobs.verify("sealed", identities=identities, manifest="check", earlier="second", engine=None)
    assert [row.input for row in report.failures()] == [f"file://{place}/sealed/empty.seal"]
    assert "no payload hash of 61" in report.notes[0]


def test_a_place_has_one_name(place: Path) -> None:
    fs = fsspec.filesystem("memory")
    jobs.encrypt("src", "memory://named", recipients=RECIPIENT, manifest="job", engine=None)
    jobs.encrypt("src", f"{place}/src/../sealed", recipients=RECIPIENT, manifest="other", engine=None)
    fs.rm_file("/named/empty.seal")
    (place / "sealed" / "empty.seal").unlink()
    identities = f"file:{place}/id"
    for source, earlier in (("memory:///named", "job"), ("sealed", "other")):
        report = jobs.verify(source, identities=identities, manifest=f"check {earlier}", earlier=earlier, engine=None)
        assert [(row.code, row.input.rsplit("/", 1)[-1]) for row in report.failures()] == [("io", "empty.seal")]
        assert report.notes == []
    with pytest.raises(ValueError, match="another place"):
        jobs.verify("sealed", identities=identities, manifest="wrong", earlier="job", engine=None)
    fs.store.clear()


def test_nothing_is_written_into_the_folder_of_the_job(place: Path) -> None:
    """Anybody can seal to a public key, and would steer the job."""
    planted = place / "sealed" / "job" / "manifest" / "00000000-9.parquet.seal"
    planted.parent.mkdir(parents=True)
    planted.write_bytes(sealstone.encrypt(b"planted", recipients=RECIPIENT))
    report = jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="plain/job", engine=None)
    assert [row.code for row in report.failures()] == ["unsafe_name"]
    assert not (place / "plain" / "job" / "manifest" / "00000000-9.parquet").exists()


def test_an_inventory_has_each_object_once(place: Path) -> None:
    name = f"file://{place}/src/empty"
    (place / "list.csv").write_text(f"input,size\n{name},0\n{name},7\n")
    with pytest.raises(ValueError, match="2 times"):
        encrypted(place, inventory="list.csv")
    with pytest.raises(ValueError, match="password"):
        encrypted(place, "other", inventory="ftp://alice:secret@host/list.csv")
    assert "secret" not in str(tree(place / "other"))


def test_what_an_ended_run_has_made_is_adopted_where_others_are_skipped(place: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        jobs.encrypt(
            "src", "sealed", recipients=RECIPIENT, manifest="job", skip_existing=True, engine=Meanwhile(is_killed=True)
        )
    stranger = sealstone.recipient_of(sealstone.generate_identity())
    (place / "sealed" / "empty.seal").write_bytes(sealstone.encrypt(b"", recipients=stranger))
    report = encrypted(place, skip_existing=True)
    assert (report.adopted, report.skipped, report.failed) == (60, 0, 1)
    assert next(report.failures()).code == "output_exists"


def test_a_known_object_that_is_plain_now_has_failed(place: Path) -> None:
    encrypted(place, suffix="")
    (place / "sealed" / "empty").write_bytes(b"evil")
    identities = f"file:{place}/id"
    report = jobs.decrypt("sealed", "plain", identities=identities, manifest="back", earlier="job", engine=None)
    assert [(row.input, row.code) for row in report.failures()] == [(f"file://{place}/sealed/empty", "not_sealstone")]


def test_an_engine_that_loses_tasks_is_an_error(place: Path) -> None:
    class Idle:
        def run(self, job: Job, tasks: Any) -> Any:
            return iter(())

    with pytest.raises(RuntimeError, match="61 objects"):
        jobs.encrypt("src", "sealed", recipients=RECIPIENT, manifest="job", engine=Idle())
    assert encrypted(place).done == 61


def test_lines_of_a_journal_that_say_nothing_are_read_once(place: Path) -> None:
    encrypted(place)
    for path in (place / "job" / "manifest").iterdir():
        path.unlink()
    (place / "job" / "manifest" / "notes.parquet").write_bytes(b"somebody's")
    journal = place / "job" / "journal" / "00000000" / "foreign.jsonl"
    journal.write_text('{bad}\n[]\n"text"\n{"input": 1}\n' * 50)
    report = encrypted(place)
    assert (report.adopted, report.failed) == (61, 0)
    held = _journal._kept(_journal._Place(Job(report.id, "encrypt", 0.0, folder=f"file://{place}/job")), 0)
    assert sum(map(len, held._intents.values())) == 61


def test_what_two_drivers_have_done_is_in_the_manifest(place: Path) -> None:
    """A store has no locks. An object that only one driver has failed at is done."""
    book = Book(f"memory://{place}/job", {})
    rows = encrypted(place)._book.rows(0, 1)  # type: ignore[union-attr]
    states = pa.array(["failed"] + ["done"] * (rows.num_rows - 1))
    failed = rows.set_column(rows.schema.get_field_index("state"), "state", states)
    assert book.keep(0, 1, rows.slice(0, 40)) == 1
    assert book.keep(0, 1, failed) == 2
    assert book.runs() == {0: 2}
    kept = book.rows(0, 2)
    assert kept.num_rows == rows.num_rows
    assert set(kept["state"].to_pylist()) == {"done"}
    fsspec.filesystem("memory").store.clear()


def test_a_file_with_other_names_is_not_rotated(place: Path) -> None:
    encrypted(place)
    os.link(place / "sealed" / "empty.seal", place / "other name")
    before = (place / "other name").read_bytes()
    new = sealstone.recipient_of(sealstone.generate_identity())
    report = jobs.rewrap(
        "sealed", identities=f"file:{place}/id", recipients=new, replace=True, manifest="turn", engine=None
    )
    assert [(row.input, row.code) for row in report.failures()] == [(f"file://{place}/sealed/empty.seal", "hard_links")]
    assert (place / "sealed" / "empty.seal").read_bytes() == before == (place / "other name").read_bytes()


def test_inspecting_needs_no_key(place: Path) -> None:
    encrypted(place, suite="chacha20-poly1305")
    details = [json.loads(row.detail) for row in jobs.inspect("sealed", manifest="look", engine=None).rows()]
    assert Counter(detail["suite"] for detail in details) == {"chacha20-poly1305": 61}
    assert not any(detail["compressed"] or detail["archive"] for detail in details)
    assert sum(detail["plaintext_len"] for detail in details) == sum(map(len, tree(place / "src").values()))


def test_one_job_has_one_manifest(place: Path) -> None:
    encrypted(place)
    with pytest.raises(errors.OutputExists, match="output"):
        jobs.encrypt("src", "elsewhere", recipients=RECIPIENT, manifest="job", engine=None)
    with pytest.raises(errors.OutputExists, match="recipients"):
        jobs.encrypt(
            "src",
            "sealed",
            recipients=sealstone.recipient_of(sealstone.generate_identity()),
            manifest="job",
            engine=None,
        )


def test_wrong_use(place: Path) -> None:
    for error, use in (
        (TypeError, lambda: jobs.verify("src", identities=IDENTITY, manifest="job")),  # type: ignore[arg-type]
        (TypeError, lambda: encrypted(place, speed=3)),
        (TypeError, lambda: encrypted(place, earlier="job")),
        (TypeError, lambda: jobs.verify("src", identities="file:id", manifest="job", suffix=".x")),
        (TypeError, lambda: jobs.verify("src", identities="file:id", manifest="job", target_options={"mode": 1})),
        (TypeError, lambda: jobs.decrypt("src", "x", identities="file:id", manifest="job", skip_existing=True)),
        (ValueError, lambda: jobs.encrypt("src", "sealed", recipients=RECIPIENT, manifest="job", engine="hamsters")),
        (ValueError, lambda: encrypted(place, workers=2)),
        (ValueError, lambda: jobs.encrypt("src", "sealed", recipients=RECIPIENT, manifest="job", workers=0)),
        (errors.InvalidRecipients, lambda: jobs.encrypt("src", "sealed", recipients=[], manifest="job")),
        (FileNotFoundError, lambda: jobs.encrypt("none", "sealed", recipients=RECIPIENT, manifest="job")),
    ):
        with pytest.raises(error):
            use()
    assert not (place / "sealed").exists()


def test_an_object_that_kills_workers_is_found(place: Path) -> None:
    (place / "r").write_text(str(RECIPIENT))
    (place / "killer.py").write_text(
        textwrap.dedent(
            """
            import os, signal
            from sealstone.jobs._task import run as _run

            def run(job, entries, *which):
                if any(entry.input.endswith(os.environ["KILLS"]) for entry in entries):
                    os.kill(os.getpid(), signal.SIGKILL)
                return _run(job, entries, *which)
            """
        )
    )
    script = """
        import sys
        sys.path.insert(0, ".")
        import killer
        from sealstone import jobs
        from sealstone.jobs import _engines, _plan

        if __name__ == "__main__":
            _engines._task = killer
            _plan.TASK_FILES = 8
            report = jobs.encrypt("src", "sealed", recipients=open("r").read(), manifest="job", workers=2)
            print(report.done + report.adopted, report.failed, [(row.code, row.input.rsplit("/")[-1]) for row in report.failures()])
    """
    (place / "program.py").write_text(textwrap.dedent(script))
    ran = subprocess.run(
        [sys.executable, "program.py"],
        cwd=place,
        env={
            **os.environ,
            "KILLS": "part 17é.csv",
            "PYTHONPATH": os.pathsep.join([".", os.environ.get("PYTHONPATH", "")]),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert ran.stdout == "60 1 [('worker_lost', 'part 17é.csv')]\n"
    assert len(tree(place / "sealed")) == 60


def test_workers_do_not_run_the_program(place: Path) -> None:
    """It may make keys, which would be others in each worker, and is perhaps no file."""
    program = (
        "from sealstone import jobs\n"
        "open('runs', 'a').write('x')\n"
        f"print(jobs.encrypt('src', 'sealed', recipients={str(RECIPIENT)!r}, manifest='job', workers=2).done)\n"
    )
    ran = subprocess.run([sys.executable, "-"], input=program, cwd=place, stdout=subprocess.PIPE, text=True, check=True)
    assert ran.stdout == "61\n"
    assert (place / "runs").read_text() == "x"


def test_a_driver_that_is_killed_loses_nothing(place: Path) -> None:
    (place / "r").write_text(str(RECIPIENT))
    list_of(place / "src")
    script = """
        from sealstone import jobs
        from sealstone.jobs import _plan

        if __name__ == "__main__":
            _plan.WAVE_FILES, _plan.TASK_FILES = 20, 4
            report = jobs.encrypt(
                "src", "sealed", recipients=open("r").read(), manifest="job", workers=2, inventory="list.parquet"
            )
            print(report.done, report.adopted, report.failed)
    """
    (place / "program.py").write_text(textwrap.dedent(script))
    command = [sys.executable, "program.py"]
    held = Held(place / "src" / "year=0" / "part 30é.csv")
    with subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as driver:
        held.reader()
        workers = descendants(driver.pid)
        until(lambda: len(tree_names(place / "sealed")) >= 8, "other objects are done")
        driver.send_signal(signal.SIGKILL)
    for one in workers:
        until(lambda one=one: not lives(one), f"process {one} ends with its driver")  # type: ignore[misc]
    held.release()
    kept = sum(pq.read_table(path).num_rows for path in (place / "job" / "manifest").glob("*.parquet"))
    ran = subprocess.run(command, cwd=place, stdout=subprocess.PIPE, text=True, check=True)
    done, adopted, failed = map(int, ran.stdout.split())
    assert (done + adopted, failed) == (61, 0)
    assert kept + adopted >= 8
    rows = [row for path in sorted((place / "job" / "manifest").iterdir()) for row in pq.read_table(path).to_pylist()]
    assert len({row["input"] for row in rows}) == len(rows) == 61
    # Nothing but the outputs is left, and all of them open.
    assert set(tree_names(place / "sealed")) == {f"{name}.seal" for name in tree(place / "src")}
    assert jobs.verify("sealed", identities=f"file:{place}/id", manifest="check", engine=None).done == 61


def tree_names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def test_the_command(place: Path) -> None:
    def run(*arguments: str, status: int = 0) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "sealstone.jobs._command", *arguments],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert ran.returncode == status, ran.stderr
        return ran.stdout + ran.stderr

    assert "61 done" in run("encrypt", "src", "sealed", "-r", str(RECIPIENT), "--manifest", "a", "--workers", "2")
    assert "61 done" in run("verify", "sealed", "--identities", f"file:{place}/id", "--manifest", "b")
    (place / "sealed" / "empty.seal").write_bytes(sealstone.encrypt(b"x", recipients=RECIPIENT)[:-1])
    said = json.loads(
        run("verify", "sealed", "--identities", f"file:{place}/id", "--manifest", "c", "--json", status=5)
    )
    assert (said["done"], said["failed"], said["failures"][0]["code"]) == (60, 1, "not_authentic")
    assert "recipient" in run("encrypt", "src", "x", "--manifest", "d", status=2)
    assert "examples" in run("--help")


def test_an_option_of_the_command_is_one_that_its_job_takes() -> None:
    [operations] = [one for one in _command._parser()._actions if one.dest == "operation"]
    assert isinstance(operations.choices, dict)
    for name, parser in operations.choices.items():
        taken = {*signature(getattr(jobs, name)).parameters, "inventory", "engine", "master", "workers", "json"}
        taken |= {"recipient", "recipients_file"} if "recipients" in taken else set()
        assert {one.dest for one in parser._actions} - {"help"} <= taken, name


def test_a_terminal_shows_how_far_a_job_is(place: Path) -> None:
    command = [sys.executable, "-m", "sealstone.jobs._command", "encrypt", "src", "sealed", "--manifest", "a"]
    reader, terminal = os.openpty()
    with subprocess.Popen(
        [*command, "-r", str(RECIPIENT)], cwd=place, stdout=subprocess.PIPE, stderr=terminal
    ) as child:
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):
            # A terminal whose other side is closed is an error.
            while part := os.read(reader, 4096):
                shown += part
        os.close(reader)
        assert child.stdout is not None
        assert b"61 done" in child.stdout.read()
    lines = shown.decode().split("\r\x1b[K")
    assert lines[:2] == ["", "listing the objects"] and lines[-1] == ""
    assert "61 of 61 objects, 0.00 GB" in lines[-2]


def test_what_is_left_is_computed_from_what_this_run_has_done(capsys: pytest.CaptureFixture[str]) -> None:
    progress = _command._Progress()
    for done, seconds in ((9000, 1.0), (9100, 2.0), (10_000, 11.0)):
        progress(Report("id", "manifest", done=done, bytes=done * 10**6, seconds=seconds, planned=10_000))
    lines = capsys.readouterr().err.split("\r\x1b[K")[2:]
    assert lines == [
        "9,000 of 10,000 objects, 9.00 GB",
        "9,100 of 10,000 objects, 9.10 GB, 100 objects/s, 100 MB/s, 0:00:09 left",
        "10,000 of 10,000 objects, 10.00 GB, 100 objects/s, 100 MB/s",
    ]


def test_workers_and_manifests_hold_no_secret(place: Path) -> None:
    secret = sealstone.export_identity(IDENTITY)
    encrypted(place)
    jobs.verify("sealed", identities=f"file:{place}/id", manifest="check", engine=None)
    jobs.decrypt("sealed", "plain", identities=f"file:{place}/id", manifest="back", engine=None)
    with pytest.raises(ValueError, match="provider") as caught:
        jobs.verify("sealed", identities=secret, manifest="wrong", engine=None)
    assert secret not in str(caught.value)
    for folder in ("job", "check", "back", "wrong", "sealed"):
        for name, data in tree(place / folder).items() if (place / folder).exists() else ():
            assert secret.encode() not in data, name
            assert secret[20:60].encode() not in data, name


def listing(*objects: tuple[str, int]) -> pa.Table:
    urls, sizes = zip(*objects, strict=True)
    return pa.table({"input": list(urls), "size": pa.array(sizes, pa.int64()), "etag": [""] * len(objects)})


def test_plans_are_in_waves_and_tasks() -> None:
    pages = (listing(*((f"file:///src/{i}", 1 << 20) for i in range(at, at + 1001))) for at in range(0, 120_120, 1001))
    waves = list(_plan.waves(pages, _plan.Naming("file:///src", "file:///dst", add=".seal")))
    assert [wave.num_rows for wave in waves] == [50_000, 50_000, 20_120]
    assert waves[2].to_pylist()[-1] == {
        "input": "file:///src/120119",
        "size": 1 << 20,
        "etag": "",
        "output": "file:///dst/120119.seal",
    }
    assert [name for wave in waves for name in wave["input"].to_pylist()] == [
        f"file:///src/{i}" for i in range(120_120)
    ]
    tasks = list(_plan.tasks(waves[0], 0))
    assert sum(task.num_rows for task in tasks) == 50_000
    assert {task.num_rows for task in tasks} == {256, 80}
    # A plan of 10⁹ objects of 10 PB has few enough tasks for an engine.
    assert {task.num_rows for task in _plan.tasks(waves[0], 0, 10**9, 10**16)} == {10_000}
    assert {task.num_rows for task in _plan.tasks(waves[0], 0, 10**8, 10**13)} == {256, 80}


@pytest.mark.parametrize(
    ("sizes", "pieces"),
    [
        ([1, 3 << 30, 1], [1, 1, 1]),
        ([3 << 30, 3 << 30], [1, 1]),
        ([256 << 20, 0, 0, 1], [3, 1]),
        ([128 << 20] * 5, [2, 2, 1]),
        ([0] * 2500, [1000, 1000, 500]),
        ([0], [1]),
    ],
)
def test_a_task_holds_what_fits(sizes: list[int], pieces: list[int]) -> None:
    entries = listing(*((f"file:///{i}", size) for i, size in enumerate(sizes)))
    entries = entries.append_column("output", pa.array([""] * len(sizes)))
    tasks = list(_plan.tasks(entries, 7))
    assert [task.num_rows for task in tasks] == pieces
    assert [size for task in tasks for size in task.column("size").to_pylist()] == sizes
    assert {number for task in tasks for number in task.column("wave").to_pylist()} == {7}


def test_outputs_are_named_after_inputs() -> None:
    def named(source: str, target: str, *inputs: str, **rest: str) -> list[str]:
        found: list[str] = _plan.Naming(source, target, **rest).outputs(pa.array(inputs)).to_pylist()
        return found

    assert named("s3://b/é", "s3://c/d/", "s3://b/é/x/ü", add=".seal") == ["s3://c/d/x/ü.seal"]
    assert named("s3://b/é", "t", "s3://b/é/ü.seal", "s3://b/é/u", remove=".seal") == ["t/ü", "t/u"]
    assert named("file:///a/film", "file:///t", "file:///a/film", add=".seal") == ["file:///t/film.seal"]
    assert named("s3://b/x/long", "t", "s3://a", "é", add=".s") == ["t/s3://a.s", "t/é.s"]
    assert named("s3://b/x", "s3://b/x", "s3://b/x/1") == ["s3://b/x/1"]
    assert named("s3://b/x", "", "s3://b/x/1", "s3://b/x/2") == ["", ""]


def test_inventories(place: Path) -> None:
    def read(pattern: str) -> list[dict[str, Any]]:
        return [row for page in _plan.inventory(pattern, {}) for row in page.to_pylist()]

    stored = {"bucket": ["b", "b", "b"], "key": ["x", "y é", "z"], "size": [1, 2, None], "e_tag": ['"q"', None, None]}
    stored |= {"is_latest": [True, True, True], "is_delete_marker": [False, False, True]}
    (place / "inventory").mkdir()
    pq.write_table(pa.table(stored), place / "inventory" / "1.parquet")
    (place / "inventory" / "2.csv").write_text("input,size\ns3://c/1,5\n")
    assert read(str(place / "inventory" / "*")) == [
        {"input": "s3://b/x", "size": 1, "etag": "q"},
        {"input": "s3://b/y é", "size": 2, "etag": ""},
        {"input": "s3://c/1", "size": 5, "etag": ""},
    ]
    (place / "wrong.csv").write_text("name,size\nx,5\n")
    with pytest.raises(ValueError, match="input"):
        read(str(place / "wrong.csv"))
    (place / "wrong.csv").write_text("input,size\nx,\n")
    with pytest.raises(ValueError, match="size"):
        read(str(place / "wrong.csv"))


def test_a_job_that_is_ended_keeps_what_was_done(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan, "TASK_FILES", 10)

    def ended(report: jobs.Report) -> None:
        if report.total == 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encrypted(place, on_progress=ended)
    assert pq.read_table(place / "job" / "manifest").num_rows == 30
    report = encrypted(place)
    assert (report.done, report.adopted, report.failed) == (61, 0, 0)
    assert pq.read_table(place / "job" / "manifest" / "00000000-2.parquet").num_rows == 61


def test_a_twin_of_an_attempt_adopts(place: Path) -> None:
    job = begun(Job("twin", "encrypt", time.time(), (str(RECIPIENT),), folder=f"file://{place}/job"))
    entries = [Entry(f"file://{place}/src/empty", 0, "", f"file://{place}/sealed/empty.seal")]
    first, second = _task.run(job, entries, "1")[0], _task.run(job, entries, "2")[0]
    assert (first.state, second.state) == ("done", "adopted")
    assert first.commitment == second.commitment
