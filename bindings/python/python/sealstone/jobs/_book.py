"""What a job keeps: its description, its plan, and the manifest. Whoever has it can go on with the job."""

import contextlib
import dataclasses
import fcntl
import json
import os
import posixpath
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from fsspec.core import url_to_fs

from .. import errors
from ._entry import ENTRIES, ROWS, Job
from ._journal import FOLDER
from ._store import is_local

_VERSION = 2
"""Of what is in the folder. In the first one nothing was written down before it was published."""


class Planned(NamedTuple):
    """What a plan has in all."""

    folder: str
    waves: int
    objects: int
    bytes: int
    unknown: int
    """Objects of whose payload no earlier manifest has a hash."""
    undone: int
    """Objects that the earlier job has planned, and not done."""


class Book:
    """The folder of a job, on any file system.

    `job.json` describes the job. `journal/` has what workers were about to publish. `plan/complete` says which folder has the plan, in
    which `N.parquet` has the objects of wave N, and how many there are in all.
    `manifest/N-R.parquet` says what became of them in run R, which a run that was interrupted has begun; the last run of a wave counts.
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self._fs, self._root = url_to_fs(url, **options)
        self._locked = -1

    def begin(self, job: Job, places: dict[str, str]) -> Job:
        """Begins a job, or goes on with one that is the same; another one is an error."""
        wanted = {**dataclasses.asdict(job), **places}
        for volatile in ("id", "begun", "source", "target", "folder", "folder_options"):
            wanted.pop(volatile)
        wanted = json.loads(json.dumps(wanted, default=_as_text))
        self._fs.makedirs(self._root, exist_ok=True)
        self._lock()
        if not self._fs.exists(self._path("job.json")):
            if self._fs.exists(self._path("plan")) or self.runs():
                raise errors.OutputExists(
                    "the manifest's folder has a plan or a manifest, but no job: name another folder"
                )
            described = {"version": _VERSION, "id": job.id, "begun": job.begun, **wanted}
            self._create("job.json", json.dumps(described, indent=2).encode() + b"\n")
        # Of drivers that begin at once the first one has said what the job is.
        kept = self._described()
        if kept.get("version") != _VERSION:
            raise errors.OutputExists("another version of Sealstone has begun this job: name another folder")
        self._fs.makedirs(self._path(FOLDER), exist_ok=True)
        differ = sorted(name for name, value in wanted.items() if kept.get(name) != value)
        if differ:
            raise errors.OutputExists(
                f"another job has this manifest, which differs in: {', '.join(differ)}. Name another folder for this one"
            )
        return dataclasses.replace(job, id=kept["id"], begun=kept["begun"])

    def operation(self) -> str:
        """What the job does."""
        return str(self._described()["operation"])

    def _described(self) -> dict[str, Any]:
        described: dict[str, Any] = json.loads(self._fs.cat_file(self._path("job.json")))
        return described

    def close(self) -> None:
        """Lets another process be at work on this job."""
        if self._locked >= 0:
            os.close(self._locked)
            self._locked = -1

    def _lock(self) -> None:
        """Keeps other processes from this job, where there are locks: two drivers would work on the same waves."""
        if is_local(self._fs):
            self._locked = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(self._locked, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.close()
                raise errors.OutputExists("another process is at work on this job") from None

    @property
    def is_planned(self) -> bool:
        return bool(self._fs.exists(self._path("plan/complete")))

    def plan(self, waves: Iterable[pa.Table], undone: Callable[[], int] = lambda: 0) -> None:
        """Writes the plan, which is complete or not at all. What an earlier job has not done is known when all waves are taken."""
        # What a driver left that has ended before it was complete is in another folder, and drivers that plan at once have one each.
        folder = f"plan/{uuid.uuid4().hex}"
        self._fs.makedirs(self._path(folder), exist_ok=True)
        count = objects = length = unknown = 0
        for count, wave in enumerate(waves, 1):
            self._write(f"{folder}/{count - 1:08}.parquet", wave)
            objects += wave.num_rows
            length += pc.sum(wave["size"]).as_py()
            unknown += pc.sum(pc.equal(wave["payload"], "")).as_py()
        planned = Planned(folder, count, objects, length, unknown, undone())
        # Of drivers that plan at once the first one's plan is everybody's.
        self._create("plan/complete", json.dumps(planned._asdict()).encode() + b"\n")

    def planned(self) -> Planned:
        """What the plan has in all."""
        return Planned(**json.loads(self._fs.cat_file(self._path("plan/complete"))))

    def entries(self, plan: Planned, wave: int) -> pa.Table:
        """The objects of a wave."""
        return self._read(f"{plan.folder}/{wave:08}.parquet").cast(ENTRIES)

    def runs(self) -> dict[int, int]:
        """Of each wave that has a part of the manifest, the number of its last run."""
        runs: dict[int, int] = {}
        folder = self._path("manifest")
        self._fs.invalidate_cache(folder)
        if self._fs.exists(folder):
            for path in self._fs.ls(folder, detail=False):
                name, ending = posixpath.splitext(posixpath.basename(path))
                wave, _, run = name.partition("-")
                # A driver that is killed may leave what is no part yet, and a person may leave anything.
                if ending == ".parquet" and wave.isdecimal() and run.isdecimal():
                    runs[int(wave)] = max(runs.get(int(wave), 0), int(run))
        return runs

    def rows(self, wave: int, run: int) -> pa.Table:
        """What became of the objects of a wave in a run."""
        return self._read(f"manifest/{wave:08}-{run}.parquet").cast(ROWS) if run else ROWS.empty_table()

    def keep(self, wave: int, run: int, rows: pa.Table) -> int:
        """Writes a part of the manifest, as that run or, where another driver has written that one, as a later one; returns which. It has
        what the other one has not failed at."""
        self._fs.makedirs(self._path("manifest"), exist_ok=True)
        while not self._create(f"manifest/{wave:08}-{run}.parquet", _packed(rows)):
            other = self.rows(wave, run)
            other = other.filter(pc.not_equal(other["state"], "failed"))
            mine = pc.invert(pc.is_in(rows["input"], value_set=other["input"]))
            rows, run = pa.concat_tables([rows.filter(mine), other]), run + 1
        return run

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _write(self, name: str, table: pa.Table) -> None:
        self._put(name, _packed(table))

    def _put(self, name: str, data: bytes) -> None:
        """Writes a file, which is there as a whole or not at all: what a driver leaves half would be read by the next one."""
        path = self._path(name)
        if not is_local(self._fs):
            self._fs.pipe_file(path, data)
            return
        with _beside(path, ".new", data) as new:
            os.replace(new, path)

    def _create(self, name: str, data: bytes) -> bool:
        """The same where there is no file yet; one that is there stays. It says whether it has written it."""
        path = self._path(name)
        try:
            if is_local(self._fs):
                with _beside(path, ".new", data) as new:
                    os.link(new, path)
            else:
                self._fs.pipe_file(path, data, mode="create")
        except FileExistsError:
            return False
        return True

    def _read(self, name: str) -> pa.Table:
        # Of bytes, on this thread: Arrow's own threads would read through Python, and may outlive it.
        part = pa.BufferReader(self._fs.cat_file(self._path(name)))
        return pq.ParquetFile(part, pre_buffer=False).read(use_threads=False)


@contextlib.contextmanager
def _beside(path: str, ending: str, data: bytes) -> Iterator[str]:
    """A file beside another one, with what that one is to have."""
    new = f"{path}{ending}"
    try:
        with open(new, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield new
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        with contextlib.suppress(OSError):
            os.unlink(new)


def _packed(table: pa.Table) -> bytes:
    """A table as a file of Parquet."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _as_text(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    raise TypeError(f"a job's options are text, numbers and bytes, not '{type(value).__name__}'")
