"""Jobs on Ray, whose workers are killed."""

import os
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Keys
from sealstone import jobs
from sealstone.jobs import _plan, _ray


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Ray on this machine; its workers find modules in the folder `modules`."""
    import ray

    folder = tmp_path_factory.mktemp("modules")
    sys.path.insert(0, str(folder))
    paths = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=100 << 20,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    ray.modules = folder
    yield ray
    ray.shutdown()
    sys.path.remove(str(folder))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_plan, "TASK_FILES", 10)
    (tmp_path / "src").mkdir()
    for i in range(60):
        (tmp_path / "src" / f"f{i}").write_bytes(os.urandom(1000 * i))
    return tmp_path


def tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_folder_goes_round(place: Path, keys: Keys, cluster: Any) -> None:
    report = jobs.encrypt("src", "sealed", recipients=keys.recipient, manifest="job", engine=cluster)
    assert (report.done, report.failed) == (60, 0), next(report.failures(), None)
    assert str(os.getpid()) not in {row.attempt for row in report.rows()}
    assert jobs.decrypt("sealed", "plain", identities=keys.provider, manifest="back", engine=cluster).done == 60
    assert tree(place / "plain") == tree(place / "src")


def test_workers_that_are_killed(place: Path, keys: Keys, cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One object kills each worker; another one the first that has finished its task."""
    (cluster.modules / "killer.py").write_text(
        textwrap.dedent(
            f"""
            import os, signal
            from sealstone.jobs._task import run as _run

            def run(job, entries, *which):
                if any(entry.input.endswith("/f17") for entry in entries):
                    os.kill(os.getpid(), signal.SIGKILL)
                rows = _run(job, entries, *which)
                if any(entry.input.endswith("/f33") for entry in entries) and not os.path.exists({str(place / "killed")!r}):
                    open({str(place / "killed")!r}, "w").close()
                    os.kill(os.getpid(), signal.SIGKILL)
                return rows
            """
        )
    )
    import killer

    monkeypatch.setattr(_ray, "_task", killer)
    report = jobs.encrypt("src", "sealed", recipients=keys.recipient, manifest="job", engine=cluster)
    assert [(row.code, row.input.rsplit("/", 1)[-1]) for row in report.failures()] == [("worker_lost", "f17")]
    assert report.done + report.adopted == 59
    assert report.adopted >= 10
    monkeypatch.undo()
    monkeypatch.chdir(place)
    assert jobs.verify("sealed", identities=keys.provider, manifest="check", engine=None).done == 59
