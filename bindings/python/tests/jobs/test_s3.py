"""Jobs on a store of objects: conditional writes, adoption, rotation by header."""

import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sealstone
from conftest import Keys
from folders import begun
from sealstone import jobs
from sealstone.jobs import _task
from sealstone.jobs._entry import Entry, Job


def filled(s3: Any, bucket: str, count: int = 40, large: int = 60_000_000) -> dict[str, bytes]:
    chosen = random.Random(3)
    objects = {f"{i % 3}/part {i}é": chosen.randbytes(chosen.randrange(0, 50_000)) for i in range(count)}
    objects["large"] = chosen.randbytes(large)
    s3.pipe({f"{bucket}/src/{name}": data for name, data in objects.items()})
    return objects


def unfinished(s3: Any, bucket: str) -> list[Any]:
    found: list[Any] = s3.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads") or []
    return found


def test_a_prefix_goes_round(s3: Any, bucket: str, keys: Keys, tmp_path: Path) -> None:
    objects = filled(s3, bucket)
    url = f"s3://{bucket}"
    report = jobs.encrypt(f"{url}/src", f"{url}/sealed", recipients=keys.recipient, manifest=f"{url}/job", workers=2)
    assert (report.done, report.failed) == (len(objects), 0), next(report.failures(), None)
    assert jobs.verify(f"{url}/sealed", identities=keys.provider, manifest=str(tmp_path / "v"), workers=2).done == len(
        objects
    )
    back = jobs.decrypt(
        f"{url}/sealed", f"{url}/plain", identities=keys.provider, manifest=str(tmp_path / "d"), workers=2
    )
    assert back.done == len(objects)
    for name, data in objects.items():
        assert s3.cat(f"{bucket}/plain/{name}") == data
    local = jobs.decrypt(
        f"{url}/sealed", str(tmp_path / "plain"), identities=keys.provider, manifest=str(tmp_path / "l"), workers=2
    )
    assert local.done == len(objects)
    assert (tmp_path / "plain" / "large").read_bytes() == objects["large"]
    assert unfinished(s3, bucket) == []


def test_lost_reports_are_adopted_and_nothing_is_replaced(s3: Any, bucket: str, keys: Keys) -> None:
    objects = filled(s3, bucket, large=6_000_000)
    url = f"s3://{bucket}"

    def encrypted(manifest: str) -> jobs.Report:
        return jobs.encrypt(
            f"{url}/src", f"{url}/sealed", recipients=keys.recipient, manifest=f"{url}/{manifest}", engine=None
        )

    first = encrypted("job")
    before = {name: info["ETag"] for name, info in s3.find(f"{bucket}/sealed", detail=True).items()}
    s3.rm(f"{bucket}/job/manifest", recursive=True)
    again = encrypted("job")
    assert (again.adopted, again.failed) == (len(objects), 0)
    assert sorted(row.commitment for row in again.rows()) == sorted(row.commitment for row in first.rows())
    other = encrypted("other")
    assert (other.done, other.failed) == (0, len(objects))
    assert {row.code for row in other.failures()} == {"output_exists"}
    assert {name: info["ETag"] for name, info in s3.find(f"{bucket}/sealed", detail=True).items()} == before


@pytest.mark.parametrize("size", [100, 70_000_000])
def test_of_attempts_that_race_one_publishes(s3: Any, bucket: str, keys: Keys, size: int, tmp_path: Path) -> None:
    data = os.urandom(size)
    s3.pipe(f"{bucket}/src", data)
    job = begun(Job("race", "encrypt", time.time(), (str(keys.recipient),), folder=f"file://{tmp_path}/job"))
    entries = [Entry(f"s3://{bucket}/src", size, "", f"s3://{bucket}/race.seal")]
    with ThreadPoolExecutor(4) as pool:
        rows = [rows[0] for rows in pool.map(lambda attempt: _task.run(job, entries, str(attempt)), range(4))]
    assert sorted(row.state for row in rows) == ["adopted", "adopted", "adopted", "done"]
    assert len({row.commitment for row in rows}) == 1
    assert sealstone.decrypt(s3.cat(f"{bucket}/race.seal"), identities=keys.identity) == data
    assert unfinished(s3, bucket) == []


def test_damage_publishes_nothing(s3: Any, bucket: str, keys: Keys, tmp_path: Path) -> None:
    file = bytearray(sealstone.encrypt(os.urandom(70_000_000), recipients=keys.recipient))
    file[-100] ^= 1
    s3.pipe(f"{bucket}/sealed/film.seal", bytes(file))
    report = jobs.decrypt(
        f"s3://{bucket}/sealed",
        f"s3://{bucket}/plain",
        identities=keys.provider,
        manifest=str(tmp_path / "d"),
        engine=None,
    )
    assert next(report.failures()).code == "not_authentic"
    assert not s3.exists(f"{bucket}/plain")
    assert unfinished(s3, bucket) == []


def test_rotation_changes_heads_and_keeps_the_rest(s3: Any, bucket: str, keys: Keys, tmp_path: Path) -> None:
    objects = filled(s3, bucket, large=60_000_000)
    url = f"s3://{bucket}"
    jobs.encrypt(f"{url}/src", f"{url}/sealed", recipients=keys.recipient, manifest=f"{url}/job", engine=None)
    place = {"Bucket": bucket, "Key": "sealed/large.seal"}
    s3.call_s3("put_object_tagging", **place, Tagging={"TagSet": [{"Key": "team", "Value": "a +b=c"}]})
    new = Keys(tmp_path, "new")
    turn: Any = {"identities": keys.provider, "recipients": new.recipient, "replace": True, "manifest": f"{url}/turn"}
    report = jobs.rewrap(f"{url}/sealed", engine=None, **turn)
    assert (report.done, report.failed) == (len(objects), 0), next(report.failures(), None)
    assert s3.call_s3("get_object_tagging", **place)["TagSet"] == [{"Key": "team", "Value": "a +b=c"}]
    assert jobs.verify(f"{url}/sealed", identities=new.provider, manifest=str(tmp_path / "a"), engine=None).done == len(
        objects
    )
    s3.rm(f"{bucket}/turn/manifest", recursive=True)
    again = jobs.rewrap(f"{url}/sealed", engine=None, **turn)
    assert (again.adopted, again.failed) == (len(objects), 0)
    assert unfinished(s3, bucket) == []


def test_an_object_that_changed_after_it_was_listed_keeps_its_head(
    s3: Any, bucket: str, keys: Keys, tmp_path: Path
) -> None:
    old, new = (sealstone.encrypt(os.urandom(1000), recipients=keys.recipient) for _ in range(2))
    s3.pipe(f"{bucket}/film.seal", old)
    etag = s3.info(f"{bucket}/film.seal")["ETag"].strip('"')
    s3.pipe(f"{bucket}/film.seal", new)
    job = begun(
        Job(
            "turn",
            "rewrap",
            time.time(),
            (str(keys.recipient),),
            keys.provider,
            {"replace": True},
            folder=f"file://{tmp_path}/job",
        )
    )
    url = f"s3://{bucket}/film.seal"
    row = _task.run(job, [Entry(url, len(old), etag, url)])[0]
    assert (row.state, row.code) == ("failed", "input_changed")
    assert s3.cat(f"{bucket}/film.seal") == new


def test_metadata_proves_nothing(s3: Any, bucket: str, keys: Keys) -> None:
    """An attacker puts other objects in the place of a job's outputs, with all of their metadata."""
    objects = filled(s3, bucket, count=5, large=6_000_000)
    url = f"s3://{bucket}"

    def encrypted() -> jobs.Report:
        return jobs.encrypt(
            f"{url}/src", f"{url}/sealed", recipients=keys.recipient, manifest=f"{url}/job", engine=None
        )

    encrypted()
    left = {}
    for name in objects:
        place = {"Bucket": bucket, "Key": f"sealed/{name}.seal"}
        seen = s3.call_s3("head_object", **place)
        assert seen["Metadata"]["sealstone-job"]
        left[name] = sealstone.encrypt(os.urandom(len(objects[name])), recipients=keys.recipient)
        s3.call_s3("put_object", **place, Metadata=seen["Metadata"], Body=left[name])
    s3.rm(f"{bucket}/job/manifest", recursive=True)
    report = encrypted()
    assert (report.adopted, report.failed) == (0, len(objects))
    assert {row.code for row in report.failures()} == {"output_exists"}
    s3.invalidate_cache()
    assert {name: s3.cat(f"{bucket}/sealed/{name}.seal") for name in objects} == left


def test_rotation_carries_hashes_over_that_it_does_not_read(s3: Any, bucket: str, keys: Keys, tmp_path: Path) -> None:
    objects = filled(s3, bucket, count=3, large=30_000_000)
    url = f"s3://{bucket}"
    made = jobs.encrypt(f"{url}/src", f"{url}/sealed", recipients=keys.recipient, manifest=f"{url}/job", engine=None)
    new = Keys(tmp_path, "new")

    def rotated(manifest: str, by: Keys, to: Keys, **settings: Any) -> jobs.Report:
        return jobs.rewrap(
            f"{url}/sealed",
            identities=by.provider,
            recipients=to.recipient,
            replace=True,
            manifest=f"{url}/{manifest}",
            engine=None,
            **settings,
        )

    first = rotated("one", keys, new, earlier=f"{url}/job")
    assert (first.failed, first.unhashed) == (0, 0)
    assert {row.output: row.payload for row in first.rows()} == {row.output: row.payload for row in made.rows()}
    assert jobs.verify(
        f"{url}/sealed", identities=new.provider, manifest=f"{url}/check", earlier=f"{url}/one", engine=None
    ).done == len(objects)
    # No payload of a long object is read for it, so without an earlier manifest nothing is known.
    back = rotated("two", new, keys)
    assert (back.failed, back.unhashed) == (0, 1)
    assert any("1 payloads have no hash" in note for note in back.notes)
    # An object that was changed since the earlier manifest has no hash of it.
    s3.pipe(f"{bucket}/sealed/large.seal", sealstone.encrypt(objects["large"], recipients=keys.recipient))
    third = rotated("three", keys, new, earlier=f"{url}/job")
    assert {row.output for row in third.rows() if not row.payload} == {f"{url}/sealed/large.seal"}


def test_a_payload_that_was_replaced_is_seen_by_a_rotation(s3: Any, bucket: str, keys: Keys, tmp_path: Path) -> None:
    """Short or long: a long one is read once its ETag is another one."""
    filled(s3, bucket, count=2, large=17_000_000)
    url = f"s3://{bucket}"
    jobs.encrypt(f"{url}/src", f"{url}/sealed", recipients=keys.recipient, manifest=f"{url}/job", engine=None)
    left = {}
    for name in ("0/part 0é", "large"):
        left[name] = sealstone.encrypt(os.urandom(12_000_000), recipients=keys.recipient)
        s3.pipe_file(f"{bucket}/sealed/{name}.seal", left[name])
    report = jobs.rewrap(
        f"{url}/sealed",
        identities=keys.provider,
        recipients=Keys(tmp_path, "new").recipient,
        replace=True,
        manifest=f"{url}/turn",
        earlier=f"{url}/job",
        engine=None,
    )
    assert {row.input for row in report.failures()} == {f"{url}/sealed/{name}.seal" for name in left}
    assert {row.code for row in report.failures()} == {"payload_changed"}
    s3.invalidate_cache()
    assert {name: s3.cat(f"{bucket}/sealed/{name}.seal") for name in left} == left


def test_names_that_would_hide_others_are_refused(s3: Any, bucket: str, keys: Keys, tmp_path: Path) -> None:
    sealed = sealstone.encrypt(b"x", recipients=keys.recipient)
    s3.pipe(
        {f"{bucket}/sealed/.seal": sealed, f"{bucket}/sealed/x/.seal": sealed, f"{bucket}/sealed/good.seal": sealed}
    )
    url = f"s3://{bucket}"
    report = jobs.decrypt(
        f"{url}/sealed", f"{url}/plain", identities=keys.provider, manifest=str(tmp_path / "job"), engine=None
    )
    assert (report.done, report.failed) == (1, 2)
    assert {row.code for row in report.failures()} == {"unsafe_name"}
    assert s3.find(f"{bucket}/plain") == [f"{bucket}/plain/good"]
