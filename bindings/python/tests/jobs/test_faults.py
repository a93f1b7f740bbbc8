"""Jobs under faults: workers, executors and drivers are killed, and an S3 server loses answers."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sealstone
from conftest import Keys
from folders import at_work, begun, filled, list_of, tree
from proxy import Exchange, Gate, Proxy, passed
from sealstone import jobs
from sealstone.jobs import _plan, _task
from sealstone.jobs._entry import Entry, Job
from victims import Held, above, kill, of_port, siblings, until, with_open

COUNT = 24
MOMENTS = ["before it reads", "in the middle", "before it reports", "after it reported"]


def unfinished(s3: Any, bucket: str) -> list[Any]:
    found: list[Any] = s3.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads") or []
    return found


def is_counted(report: jobs.Report, sizes: dict[str, int]) -> bool:
    """Each input has one row, and the sums are right."""
    rows = list(report.rows())
    assert sorted(row.input for row in rows) == sorted(sizes)
    assert {row.state for row in rows} <= {"done", "adopted"}, next(report.failures(), None)
    assert (report.done + report.adopted, report.failed, report.total) == (len(sizes), 0, len(sizes))
    assert report.bytes == sum(row.size for row in rows) == sum(sizes.values())
    return True


# Local folders


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with objects in `src`, and a list of them."""
    monkeypatch.chdir(tmp_path)
    filled(tmp_path / "src", COUNT, 13)
    return tmp_path


def is_whole(place: Path, report: jobs.Report, keys: Keys) -> bool:
    """Nothing is lost, nothing is there twice, nothing is partial, and there is nothing else."""
    inputs, outputs = tree(place / "src"), tree(place / "sealed")
    assert is_counted(report, {f"file://{place}/src/{name}": len(data) for name, data in inputs.items()})
    assert set(outputs) == {f"{name}.seal" for name in inputs}
    for name, data in inputs.items():
        assert sealstone.decrypt(outputs[f"{name}.seal"], identities=keys.identity) == data
    return True


def completed(spark: Any) -> int:
    """Tasks of Spark's active stages that have ended and reported."""
    tracker = spark.sparkContext.statusTracker()
    found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    return max((one.numCompletedTasks for one in found if one is not None), default=0)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_of_spark_that_is_killed_on_a_local_folder(
    place: Path, keys: Keys, spark: Any, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = 1 if moment == "before it reads" else 8
    monkeypatch.setattr(_plan, "TASK_FILES", together)
    if moment == "in the middle":
        with open(place / "src" / "f11", "wb") as file:
            file.truncate(200 << 20)
        list_of(place / "src")
    held = None if moment == "in the middle" else Held(place / "src" / "f11")

    def work() -> jobs.Report:
        return jobs.encrypt(
            "src", "sealed", recipients=keys.recipient, manifest="job", engine=spark, inventory="list.parquet"
        )

    running = at_work(work)
    if held is None:
        start = f"{place}/sealed/#"
        kill(until(lambda: with_open(lambda name: name.startswith(start)), "an output without a name is open"))
        assert is_whole(place, running.result(), keys)
        return
    worker = held.reader()
    if moment == "after it reported":
        until(lambda: completed(spark) == COUNT // together - 1, "the other tasks have reported")
        others = siblings(worker)
        assert others
        for other in others:
            kill(other)
        expected = 0
    else:
        others_of_its_task = {f"f{i:02}.seal" for i in range(8, 16) if i != 11 and together > 1}
        until(lambda: others_of_its_task <= set(os.listdir("sealed")), "the others of the task are published")
        kill(worker)
        expected = together - 1
    held.release()
    report = running.result()
    assert report.adopted == expected
    assert is_whole(place, report, keys)


def test_an_executor_that_is_killed(place: Path, keys: Keys) -> None:
    """The JVM of an executor goes with all of its workers, in the middle of a task whose other objects are published."""
    program = f"""
        import sys
        from conftest import session
        from sealstone import jobs
        from sealstone.jobs import _plan

        _plan.TASK_FILES = 8
        spark = session("local-cluster[2,1,1024]")
        report = jobs.encrypt(
            "src", "sealed", recipients={str(keys.recipient)!r}, manifest="job", engine=spark, inventory="list.parquet"
        )
        print(report.done, report.adopted, report.failed)
        spark.stop()
    """
    (place / "program.py").write_text(textwrap.dedent(program))
    path = os.pathsep.join([*sys.path, os.environ.get("PYTHONPATH", "")])
    held = Held(place / "src" / "f11")
    with subprocess.Popen(
        [sys.executable, "program.py"], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    ) as driver:
        executor = above(held.reader(), "CoarseGrainedExecutorBackend")
        others = {f"f{i:02}.seal" for i in range(8, 16) if i != 11}
        until(lambda: others <= set(os.listdir("sealed")), "the others of the task are published")
        kill(executor)
        # Its workers may live a little longer: they are attempts that Spark has given up.
        held.release()
        said, _ = driver.communicate(timeout=240)
    assert driver.returncode == 0
    done, adopted, failed = map(int, said.split())
    assert (done + adopted, failed) == (COUNT, 0)
    assert adopted >= 7
    report = jobs.encrypt(
        "src", "sealed", recipients=keys.recipient, manifest="job", engine=None, inventory="list.parquet"
    )
    assert is_whole(place, report, keys)


# A store of objects


class Prefix:
    """Objects in a bucket, of which `large` has several parts, and a job on them."""

    def __init__(self, s3: Any, bucket: str, keys: Keys, folder: Path, proxy: Proxy) -> None:
        self.s3, self.bucket, self.keys, self.folder, self.proxy = s3, bucket, keys, folder, proxy
        self.url = f"s3://{bucket}"
        chosen = random.Random(17)
        self.objects = {f"f{i:02}": chosen.randbytes(chosen.randrange(1, 40_000)) for i in range(12)}
        self.objects |= {"large": chosen.randbytes(20_000_000), "none": b""}
        s3.pipe({f"{bucket}/src/{name}": data for name, data in self.objects.items()})

    def encrypted(self, engine: Any = None, **settings: Any) -> jobs.Report:
        """By way of the proxy."""
        return jobs.encrypt(
            f"{self.url}/src",
            f"{self.url}/sealed",
            recipients=self.keys.recipient,
            **{"manifest": str(self.folder / "job"), "engine": engine, **self.options, **settings},
        )

    def decrypted(self, engine: Any = None, **settings: Any) -> jobs.Report:
        """By way of the proxy."""
        return jobs.decrypt(
            f"{self.url}/sealed",
            f"{self.url}/plain",
            identities=self.keys.provider,
            **{"manifest": str(self.folder / "back"), "engine": engine, **self.options, **settings},
        )

    @property
    def options(self) -> dict[str, Any]:
        return {"source_options": self.proxy.options, "target_options": self.proxy.options}

    def is_whole(self, report: jobs.Report) -> bool:
        """Nothing is lost, nothing is there twice, nothing is partial, and there is nothing else."""
        inputs = {f"{self.url}/src/{name}": len(data) for name, data in self.objects.items()}
        assert is_counted(report, inputs)
        sealed = self.found("sealed")
        assert set(sealed) == {f"{name}.seal" for name in self.objects}
        for name, data in self.objects.items():
            assert sealstone.decrypt(sealed[f"{name}.seal"], identities=self.keys.identity) == data
        for row in report.rows():
            file = sealed[row.output.rsplit("/", 1)[-1]]
            head = sealstone.inspect(file).header_len
            assert row.commitment == file[head + 24 : head + 56].hex()
        assert unfinished(self.s3, self.bucket) == []
        return True

    def is_back(self, report: jobs.Report) -> bool:
        """The same of a job that decrypts."""
        sealed = {f"{self.url}/sealed/{name}": len(data) for name, data in self.found("sealed").items()}
        assert is_counted(report, sealed)
        assert self.found("plain") == self.objects
        assert unfinished(self.s3, self.bucket) == []
        return True

    def found(self, prefix: str) -> dict[str, bytes]:
        whole = f"{self.bucket}/{prefix}"
        return {path.removeprefix(f"{whole}/"): self.s3.cat(path) for path in self.s3.find(whole)}


@pytest.fixture
def prefix(s3: Any, bucket: str, keys: Keys, tmp_path: Path, proxy: Proxy) -> Prefix:
    return Prefix(s3, bucket, keys, tmp_path, proxy)


@pytest.mark.parametrize("engine", ["processes", "spark"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_worker_that_is_killed_on_a_store(
    prefix: Prefix, moment: str, engine: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_plan, "TASK_FILES", 3)
    gate = Gate()

    def rule(exchange: Exchange) -> None:
        is_read = exchange.key == "src/large" and exchange.method == "GET"
        is_middle = exchange.key == "sealed/large.seal" and exchange.part == 2
        if (is_read and moment in (MOMENTS[0], MOMENTS[3])) or (is_middle and moment == "in the middle"):
            gate.keep(exchange)
        elif exchange.key == "sealed/large.seal" and exchange.completes and moment == "before it reports":
            answer = exchange.forward()
            gate.keep(exchange)
            exchange.send(answer)
            return
        passed(exchange)

    prefix.proxy.use(rule)
    reported: list[int] = []
    given: dict[str, Any] = {"workers": 2, "on_progress": lambda report: reported.append(report.total)}
    spark = None
    if engine == "spark":
        spark = request.getfixturevalue("spark")
        # All tasks are one job of Spark's then.
        given = {"engine": spark, "workers": 3}
    running = at_work(lambda: prefix.encrypted(**{"engine": "processes", **given}))
    worker = of_port(gate.wait())
    if moment == "after it reported":
        # 14 objects in tasks of 3: all tasks but one.
        until(lambda: completed(spark) == 4 if spark else len(reported) == 4, "the other tasks have reported")
        others = siblings(worker)
        assert others
        for other in others:
            kill(other)
    else:
        kill(worker)
    gate.open()
    assert prefix.is_whole(running.result())


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_driver_that_is_killed_between_waves(prefix: Prefix, moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its request to store a wave's part of the manifest has not come to the store, or the answer not to the driver."""
    program = f"""
        from sealstone import jobs
        from sealstone.jobs import _plan

        if __name__ == "__main__":
            _plan.WAVE_FILES, _plan.TASK_FILES = 5, 2
            report = jobs.encrypt(
                "{prefix.url}/src", "{prefix.url}/sealed", recipients={str(prefix.keys.recipient)!r}, workers=2,
                manifest="{prefix.url}/job", manifest_options={prefix.proxy.options!r}, **{prefix.options!r},
            )
            print(report.done, report.adopted, report.failed)
    """
    (prefix.folder / "program.py").write_text(textwrap.dedent(program))
    gate = Gate()

    def rule(exchange: Exchange) -> None:
        if not (exchange.key == "job/manifest/00000000-1.parquet" and exchange.method == "PUT"):
            passed(exchange)
        elif moment == "before":
            if not gate.keep(exchange):
                passed(exchange)
        else:
            answer = exchange.forward()
            gate.keep(exchange)
            exchange.send(answer)

    prefix.proxy.use(rule)
    with subprocess.Popen([sys.executable, "program.py"], cwd=prefix.folder) as driver:
        gate.wait()
        driver.send_signal(signal.SIGKILL)
    gate.open()
    assert prefix.s3.exists(f"{prefix.bucket}/job/manifest/00000000-1.parquet") == (moment == "after")
    monkeypatch.setattr(_plan, "WAVE_FILES", 5)
    report = prefix.encrypted(manifest=f"{prefix.url}/job", manifest_options=prefix.proxy.options)
    assert report.adopted >= (5 if moment == "before" else 0)
    assert prefix.is_whole(report)
    parts = [path.rsplit("/", 1)[-1] for path in prefix.s3.find(f"{prefix.bucket}/job/manifest")]
    assert sorted(parts) == [f"0000000{i}-1.parquet" for i in range(3)]


def test_a_driver_that_is_killed_in_a_wave(prefix: Prefix) -> None:
    """Its workers end with it, and the next run ends the uploads that they have begun."""
    program = f"""
        from sealstone import jobs

        if __name__ == "__main__":
            jobs.encrypt(
                "{prefix.url}/src", "{prefix.url}/sealed", recipients={str(prefix.keys.recipient)!r}, workers=2,
                manifest={str(prefix.folder / "job")!r}, **{prefix.options!r},
            )
    """
    (prefix.folder / "program.py").write_text(textwrap.dedent(program))
    gate = Gate()

    def rule(exchange: Exchange) -> None:
        if exchange.key == "sealed/large.seal" and exchange.part == 2:
            gate.keep(exchange)
        passed(exchange)

    prefix.proxy.use(rule)
    with subprocess.Popen([sys.executable, "program.py"], cwd=prefix.folder) as driver:
        gate.wait()
        assert len(unfinished(prefix.s3, prefix.bucket)) >= 1
        driver.send_signal(signal.SIGKILL)
    gate.open()
    assert prefix.is_whole(prefix.encrypted())


def every(number: int, act: Callable[[Exchange], object]) -> Callable[[Exchange], None]:
    """Does something else with each request of so many."""
    count = iter(range(1, 1 << 30))

    def rule(exchange: Exchange) -> None:
        if next(count) % number == 0:
            act(exchange)
        else:
            passed(exchange)

    return rule


FAULTS: dict[str, Callable[[Exchange], object]] = {
    "500": lambda exchange: exchange.refuse(500, "InternalError"),
    "503": lambda exchange: exchange.refuse(503, "SlowDown"),
    "reset": lambda exchange: exchange.reset(),
    "lost": lambda exchange: (exchange.forward(), exchange.refuse(500, "InternalError")),
    "lost by reset": lambda exchange: (exchange.forward(), exchange.reset()),
    "half an answer": lambda exchange: exchange.send(answer := exchange.forward(), len(answer.body) // 2),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_store_that_fails_now_and_then(prefix: Prefix, fault: str) -> None:
    """Every seventh request has a fault; the store has still done some of them."""
    prefix.proxy.use(every(7, FAULTS[fault]))
    assert prefix.is_whole(prefix.encrypted())
    assert prefix.is_back(prefix.decrypted())


WITHOUT_RETRIES = {"config_kwargs": {"retries": {"max_attempts": 0}}}
"""botocore tries nothing again, so s3fs and we have more to do."""
LASTING = {
    ("GET", "src/f00"): ("500", 1),
    ("PUT", "sealed/f01.seal"): ("500", 1),
    ("GET", "src/f03"): ("503", 5),
    ("PUT", "sealed/f04.seal"): ("503", 5),
    ("GET", "src/f06"): ("reset", 2),
    ("PUT", "sealed/f07.seal"): ("reset", 2),
    ("GET", "src/f10"): ("half an answer", 2),
    ("HEAD", "sealed/large.seal"): ("reset", 2),
    ("HEAD", "src/large"): ("503", 1),
    ("GET", "src/large"): ("half an answer", 1),
    ("POST", "sealed/large.seal"): ("500", 1),
}
"""Faults of requests, and how many s3fs takes before it gives up."""


def test_a_store_that_fails_until_s3fs_gives_up(prefix: Prefix) -> None:
    """The first try of a task fails in full, and the next one does not."""
    left = Counter({which: number for which, (_, number) in LASTING.items()})

    def rule(exchange: Exchange) -> None:
        which = exchange.method, exchange.key
        if left[which] > 0:
            left[which] -= 1
            FAULTS[LASTING[which][0]](exchange)
        else:
            passed(exchange)

    prefix.proxy.use(rule)
    options = {**prefix.proxy.options, **WITHOUT_RETRIES}
    report = prefix.encrypted(source_options=options, target_options=options)
    assert not +left
    assert prefix.is_whole(report)


class First:
    """Whether something is there for the first time."""

    def __init__(self) -> None:
        self._seen: set[Any] = set()

    def __call__(self, one: Any) -> bool:
        is_new = one not in self._seen
        self._seen.add(one)
        return is_new


@pytest.mark.parametrize("options", [{}, WITHOUT_RETRIES], ids=["retries", "no retries"])
@pytest.mark.parametrize("fault", ["lost", "lost by reset"])
def test_a_completion_whose_answer_is_lost(prefix: Prefix, fault: str, options: dict[str, Any]) -> None:
    """The store has published each object, and says that it failed; a retry finds it, and whose it is."""
    first, lost = First(), list[str]()
    # versitygw takes a completion again, as S3 does for a while, so botocore's retry is done. A PUT is refused the second time.
    adopted = len(prefix.objects) - (0 if options else 1)

    def rule(exchange: Exchange) -> None:
        if exchange.completes and first(exchange.key):
            lost.append(exchange.key)
            FAULTS[fault](exchange)
        else:
            passed(exchange)

    prefix.proxy.use(rule)
    options = {"source_options": prefix.proxy.options, "target_options": {**prefix.proxy.options, **options}}
    report = prefix.encrypted(**options)
    assert len(lost) == len(prefix.objects)
    assert report.adopted == adopted
    assert prefix.is_whole(report)
    report = prefix.decrypted(**options)
    assert report.adopted == adopted
    assert prefix.is_back(report)


def test_a_store_that_stalls(prefix: Prefix) -> None:
    """Of each request the first answer comes when s3fs has given it up and asks again; of a completion, too."""
    first = First()
    again = {f"{method} {key}": Gate() for method, key in (("GET", "src/large"), ("POST", "sealed/large.seal"))}
    answered: list[str] = []

    def rule(exchange: Exchange) -> None:
        name = f"{exchange.method} {exchange.key}"
        is_stalled = name in again and (exchange.method == "GET" or exchange.completes)
        if is_stalled and first(name):
            answer = exchange.forward()
            again[name].keep(exchange)
            answered.append(name)
            exchange.send(answer)
            return
        if is_stalled:
            again[name].open()
        passed(exchange)

    prefix.proxy.use(rule)
    options = {**prefix.proxy.options, "config_kwargs": {"read_timeout": 2}}
    report = prefix.encrypted(source_options=options, target_options=options)
    assert sorted(answered) == sorted(again)
    assert prefix.is_whole(report)


def test_uploads_that_cannot_be_listed_are_a_note(prefix: Prefix) -> None:
    def rule(exchange: Exchange) -> None:
        if "uploads" in exchange.query and exchange.method == "GET":
            exchange.refuse(403, "AccessDenied")
        else:
            passed(exchange)

    prefix.proxy.use(rule)
    report = prefix.encrypted()
    assert prefix.is_whole(report)
    assert len(report.notes) == 1
    assert "uploads" in report.notes[0]


@pytest.mark.parametrize("operation", ["encrypt", "decrypt"])
def test_what_somebody_else_publishes_meanwhile_stays(prefix: Prefix, operation: str) -> None:
    if operation == "decrypt":
        assert prefix.is_whole(prefix.encrypted())
    taken = {"f03": b"somebody else's", "large": b"somebody else's", "none": b"somebody else's"}
    folder, ending = ("sealed", ".seal") if operation == "encrypt" else ("plain", "")
    first = First()

    def rule(exchange: Exchange) -> None:
        name = exchange.key.removeprefix(f"{folder}/").removesuffix(ending)
        if exchange.completes and name in taken and first(name):
            prefix.s3.pipe_file(f"{prefix.bucket}/{exchange.key}", taken[name])
        passed(exchange)

    prefix.proxy.use(rule)
    report = prefix.encrypted() if operation == "encrypt" else prefix.decrypted()
    assert (report.done, report.failed) == (len(prefix.objects) - 3, 3)
    assert {row.code for row in report.failures()} == {"output_exists"}
    for name, data in taken.items():
        assert prefix.s3.cat(f"{prefix.bucket}/{folder}/{name}{ending}") == data
    assert unfinished(prefix.s3, prefix.bucket) == []


def test_damage_is_told_also_where_tidying_up_fails(prefix: Prefix) -> None:
    assert prefix.is_whole(prefix.encrypted())
    path = f"{prefix.bucket}/sealed/large.seal"
    damaged = bytearray(prefix.s3.cat(path))
    damaged[-100] ^= 1
    prefix.s3.pipe_file(path, bytes(damaged))
    refused = []

    def rule(exchange: Exchange) -> None:
        if exchange.method == "DELETE":
            refused.append(exchange.key)
            exchange.refuse(500, "InternalError")
        else:
            passed(exchange)

    prefix.proxy.use(rule)
    options = {**prefix.proxy.options, **WITHOUT_RETRIES}
    report = prefix.decrypted(target_options=options)
    assert [(row.input.rsplit("/", 1)[-1], row.code) for row in report.failures()] == [("large.seal", "not_authentic")]
    assert "plain/large" in refused
    assert set(prefix.found("plain")) == set(prefix.objects) - {"large"}


@pytest.mark.parametrize("change", ["replaced", "as long", "removed"])
def test_an_input_that_changes_while_it_is_read(prefix: Prefix, change: str) -> None:
    first = First()
    path = f"{prefix.bucket}/src/large"

    def rule(exchange: Exchange) -> None:
        reads_on = exchange.method == "GET" and not exchange.headers.get("Range", "").startswith("bytes=0-")
        if exchange.key == "src/large" and reads_on and first(change):
            if change == "removed":
                prefix.s3.rm_file(path)
            else:
                prefix.s3.pipe_file(path, os.urandom(16_000_000 if change == "as long" else 6_000_000))
        passed(exchange)

    prefix.proxy.use(rule)
    report = prefix.encrypted()
    assert not first(change)
    [row] = report.failures()
    assert (row.input, row.code) == (f"s3://{path}", "io" if change == "removed" else "input_changed")
    assert report.done == len(prefix.objects) - 1
    assert set(prefix.found("sealed")) == {f"{name}.seal" for name in prefix.objects if name != "large"}
    assert unfinished(prefix.s3, prefix.bucket) == []


@pytest.mark.parametrize("size", [0, 100, 20_000_000])
def test_of_twins_that_decrypt_one_publishes(prefix: Prefix, size: int) -> None:
    data = os.urandom(size)
    sealed = sealstone.encrypt(data, recipients=prefix.keys.recipient)
    prefix.s3.pipe(f"{prefix.bucket}/given", sealed)
    options = prefix.proxy.options
    folder = f"file://{prefix.folder}/job"
    job = begun(Job("twins", "decrypt", 0.0, (), prefix.keys.provider, source=options, target=options, folder=folder))
    entries = [Entry(f"{prefix.url}/given", len(sealed), "", f"{prefix.url}/made/it")]
    with ThreadPoolExecutor(4) as pool:
        rows = [rows[0] for rows in pool.map(lambda attempt: _task.run(job, entries, str(attempt)), range(4))]
    assert sorted(row.state for row in rows) == ["adopted", "adopted", "adopted", "done"]
    assert len({(row.commitment, row.output_etag) for row in rows}) == 1
    assert prefix.found("made") == {"it": data}
    assert unfinished(prefix.s3, prefix.bucket) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_rotation_on_a_store_that_fails(prefix: Prefix, fault: str) -> None:
    """Of each object the request that completes it has a fault once, and so has the one that copies its payload."""
    assert prefix.is_whole(prefix.encrypted())
    new = Keys(prefix.folder, "new")
    payloads = {row.output: row.commitment for row in prefix.encrypted().rows()}
    first, faults = First(), Counter[str]()

    def rule(exchange: Exchange) -> None:
        copies = "x-amz-copy-source" in exchange.headers
        if (copies or exchange.completes) and first((exchange.key, copies)):
            faults["copies" if copies else "completions"] += 1
            FAULTS[fault](exchange)
        else:
            passed(exchange)

    prefix.proxy.use(rule)
    report = jobs.rewrap(
        f"{prefix.url}/sealed",
        identities=prefix.keys.provider,
        recipients=new.recipient,
        replace=True,
        manifest=str(prefix.folder / "turn"),
        engine=None,
        source_options={**prefix.proxy.options, **WITHOUT_RETRIES},
    )
    assert faults == {"copies": 1, "completions": len(prefix.objects)}
    assert (report.done + report.adopted, report.failed) == (len(prefix.objects), 0), next(report.failures(), None)
    if fault.startswith("lost"):
        assert report.adopted == len(prefix.objects)
    assert {row.output: row.commitment for row in report.rows()} == payloads
    for name, file in prefix.found("sealed").items():
        assert sealstone.decrypt(file, identities=new.identity) == prefix.objects[name.removesuffix(".seal")]
    assert unfinished(prefix.s3, prefix.bucket) == []
