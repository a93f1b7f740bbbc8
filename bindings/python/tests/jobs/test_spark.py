"""Jobs on Spark, whose workers are killed."""

import json
import os
import random
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import Keys
from folders import tree
from sealstone import jobs
from sealstone.jobs import _plan


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_plan, "TASK_FILES", 10)
    chosen = random.Random(5)
    for i in range(80):
        path = tmp_path / "src" / f"{i % 4}" / f"f{i}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chosen.randbytes(chosen.randrange(0, 50_000)))
    return tmp_path


def test_a_folder_goes_round(place: Path, keys: Keys, spark: Any) -> None:
    report = jobs.encrypt("src", "sealed", recipients=keys.recipient, manifest="job", engine=spark)
    assert (report.done, report.failed) == (80, 0), next(report.failures(), None)
    # Each attempt of Spark's has a number of its own.
    assert len({row.attempt for row in report.rows()}) == 8
    assert jobs.decrypt("sealed", "plain", identities=keys.provider, manifest="back", engine=spark).done == 80
    assert tree(place / "plain") == tree(place / "src")


def test_the_command_begins_a_session(place: Path, keys: Keys) -> None:
    def run(*arguments: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "sealstone.jobs._command", *arguments, "--json"]
        ran = subprocess.run(
            [*command, "--engine", "spark", "--master", "local[2,4]"], stdout=subprocess.PIPE, timeout=120, check=True
        )
        said: dict[str, Any] = json.loads(ran.stdout)
        return said

    assert run("encrypt", "src", "sealed", "-r", str(keys.recipient), "--manifest", "a")["done"] == 80
    assert run("verify", "sealed", "--identities", keys.provider, "--manifest", "b")["done"] == 80


def test_the_command_says_what_its_workers_lack(place: Path) -> None:
    Path("sealed").mkdir()
    Path("sealed/x.seal").write_bytes(b"x")
    command = [sys.executable, "-m", "sealstone.jobs._command", "verify", "sealed", "--identities", "file:/missing/key"]
    ran = subprocess.run(
        [*command, "--manifest", "a", "--engine", "spark", "--master", "local[2]"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1
    [said] = [line for line in ran.stderr.splitlines() if line.startswith("sealstone-jobs: ")]
    assert said.startswith("sealstone-jobs: spark: ") and "/missing/key" in said


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_that_is_killed_once_is_replaced(place: Path, keys: Keys, spark: Any, moment: str) -> None:
    engine = killing(place, spark, moment, once=True)
    report = jobs.encrypt("src", "sealed", recipients=keys.recipient, manifest="job", engine=engine)
    assert (report.done + report.adopted, report.failed) == (80, 0)
    assert report.adopted == (10 if moment == "after" else 0)
    assert (place / "killed").exists()
    assert set(tree(place / "sealed")) == {f"{name}.seal" for name in tree(place / "src")}
    assert pq.read_table(place / "job" / "manifest").num_rows == 80
    assert jobs.verify("sealed", identities=keys.provider, manifest="check", engine=None).done == 80


def test_an_object_that_kills_every_worker_is_found(place: Path, keys: Keys, spark: Any) -> None:
    engine = killing(place, spark, "before", once=False)
    report = jobs.encrypt("src", "sealed", recipients=keys.recipient, manifest="job", engine=engine)
    assert (report.done + report.adopted, report.failed) == (79, 1)
    row = next(report.failures())
    assert (row.code, row.input.rsplit("/", 1)[-1]) == ("worker_lost", "f17")


def test_workers_without_a_key_end_the_job(place: Path, keys: Keys, spark: Any) -> None:
    jobs.encrypt("src", "sealed", recipients=keys.recipient, manifest="job", engine=None)
    with pytest.raises(Exception, match="NOT_THERE"):
        jobs.verify("sealed", identities="env:NOT_THERE", manifest="check", engine=spark)
    assert not (place / "check" / "manifest").exists()


def killing(place: Path, spark: Any, moment: str, once: bool) -> "Killing":
    """Spark whose workers run tasks by a module that ends them with SIGKILL at the object `f17`."""
    # Spark keeps the first one of a name.
    name = f"killer_{uuid.uuid4().hex}"
    (place / f"{name}.py").write_text(
        textwrap.dedent(
            f"""
            import os, signal
            from sealstone.jobs._task import run as _run

            def end(entries):
                if any(entry.input.endswith("/f17") for entry in entries):
                    if {once} and os.path.exists({str(place / "killed")!r}):
                        return
                    open({str(place / "killed")!r}, "w").close()
                    os.kill(os.getpid(), signal.SIGKILL)

            def run(job, entries, *which):
                if {moment == "before"}:
                    end(entries)
                rows = _run(job, entries, *which)
                end(entries)
                return rows
            """
        )
    )
    spark.addArtifact(str(place / f"{name}.py"), pyfile=True)
    return Killing(spark, name)


class Killing:
    """Spark, whose workers run tasks by a module."""

    def __init__(self, session: Any, name: str) -> None:
        from sealstone.jobs import _spark

        self._spark, self._name = _spark.Spark(session), name

    def run(self, job: Any, tasks: Any) -> Any:
        import importlib
        import sys

        from sealstone.jobs import _spark

        sys.path.insert(0, os.getcwd())
        whole = _spark._task
        _spark._task = importlib.import_module(self._name)  # type: ignore[assignment]
        try:
            yield from self._spark.run(job, tasks)
        finally:
            _spark._task = whole
            sys.path.pop(0)
