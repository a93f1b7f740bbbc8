"""The folder of a job: its description, its plan, and its manifest. Whoever has the folder can resume the job."""

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
"""The version of the folder's format. In version 1, workers had no journal of outputs before they published them."""


class Planned(NamedTuple):
    """The totals of a plan."""

    folder: str
    waves: int
    objects: int
    bytes: int
    unknown: int
    """Objects whose payload has no hash in an earlier manifest."""
    undone: int
    """Objects that the earlier job planned and has not done."""


class Book:
    """The folder of a job, on any file system.

    - `job.json` describes the job.
    - `journal/` lists the outputs that workers were about to publish.
    - `plan/complete` names the folder of the plan, and has its totals. In that folder, `N.parquet` has the objects of wave N.
    - `manifest/N-R.parquet` has the outcome of the objects of wave N in run R. Only the last run of a wave counts.
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self._fs, self._root = url_to_fs(url, **options)
        self._locked = -1

    def begin(self, job: Job, places: dict[str, str]) -> Job:
        """Begins a job, or resumes it if the folder has the same job. A different job is an error."""
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
        """The operation of the job."""
        return str(self._described()["operation"])

    def _described(self) -> dict[str, Any]:
        described: dict[str, Any] = json.loads(self._fs.cat_file(self._path("job.json")))
        return described

    def close(self) -> None:
        """Allows other processes to work on this job."""
        if self._locked >= 0:
            os.close(self._locked)
            self._locked = -1

    def _lock(self) -> None:
        """Keeps other processes from this job, if the file system has locks: two drivers would work on the same waves."""
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
        """Writes the plan, complete or not at all. It calls `undone` after it has read all waves: only then the number is known."""
        # Each driver plans in its own folder: a driver that ended early may have left a part, and two drivers may plan at once.
        folder = f"plan/{uuid.uuid4().hex}"
        self._fs.makedirs(self._path(folder), exist_ok=True)
        count = objects = length = unknown = 0
        for count, wave in enumerate(waves, 1):
            self._write(f"{folder}/{count - 1:08}.parquet", wave)
            objects += wave.num_rows
            length += pc.sum(wave["size"]).as_py()
            unknown += pc.sum(pc.equal(wave["payload"], "")).as_py()
        planned = Planned(folder, count, objects, length, unknown, undone())
        # If several drivers plan at once, all use the first complete plan.
        self._create("plan/complete", json.dumps(planned._asdict()).encode() + b"\n")

    def planned(self) -> Planned:
        """The totals of the plan."""
        return Planned(**json.loads(self._fs.cat_file(self._path("plan/complete"))))

    def entries(self, plan: Planned, wave: int) -> pa.Table:
        """The objects of a wave."""
        return self._read(f"{plan.folder}/{wave:08}.parquet").cast(ENTRIES)

    def runs(self) -> dict[int, int]:
        """The number of the last run of each wave that has a part of the manifest."""
        runs: dict[int, int] = {}
        folder = self._path("manifest")
        self._fs.invalidate_cache(folder)
        if self._fs.exists(folder):
            for path in self._fs.ls(folder, detail=False):
                name, ending = posixpath.splitext(posixpath.basename(path))
                wave, _, run = name.partition("-")
                # A killed driver may have left an incomplete file, and a person may have put any file here.
                if ending == ".parquet" and wave.isdecimal() and run.isdecimal():
                    runs[int(wave)] = max(runs.get(int(wave), 0), int(run))
        return runs

    def rows(self, wave: int, run: int) -> pa.Table:
        """The outcome of the objects of a wave in a run."""
        return self._read(f"manifest/{wave:08}-{run}.parquet").cast(ROWS) if run else ROWS.empty_table()

    def keep(self, wave: int, run: int, rows: pa.Table) -> int:
        """Writes a part of the manifest for this run, and returns the run. If another driver has written that run already, it writes a
        later run, with the rows of the other driver that have not failed."""
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
        """Writes a file, complete or not at all: the next driver would read an incomplete one."""
        path = self._path(name)
        if not is_local(self._fs):
            self._fs.pipe_file(path, data)
            return
        with _beside(path, ".new", data) as new:
            os.replace(new, path)

    def _create(self, name: str, data: bytes) -> bool:
        """As `_put`, but never replaces a file. Returns whether it has written the file."""
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
        # Reads from bytes, on this thread: Arrow's own threads would read through Python, and may outlive it.
        part = pa.BufferReader(self._fs.cat_file(self._path(name)))
        return pq.ParquetFile(part, pre_buffer=False).read(use_threads=False)


@contextlib.contextmanager
def _beside(path: str, ending: str, data: bytes) -> Iterator[str]:
    """A temporary file beside another file, with the other file's new content."""
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
    """A table as a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _as_text(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    raise TypeError(f"a job's options are text, numbers and bytes, not '{type(value).__name__}'")
