"""What a job keeps: its description, its plan, and the manifest. Whoever has it can go on with the job."""

import contextlib
import dataclasses
import json
import os
import posixpath
from collections.abc import Iterable
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from fsspec.core import url_to_fs

from .. import errors
from ._entry import ENTRIES, ROWS, Job
from ._store import is_local


class Planned(NamedTuple):
    """What a plan has in all."""

    waves: int
    objects: int
    bytes: int


class Book:
    """The folder of a job, on any file system.

    `job.json` describes the job. `plan/N.parquet` has the objects of wave N, and `plan/complete` how many there are in all.
    `manifest/N-R.parquet` says what became of them in run R, which a run that was interrupted has begun; the last run of a wave counts.
    """

    def __init__(self, url: str, options: dict[str, Any]) -> None:
        self._fs, self._root = url_to_fs(url, **options)

    def begin(self, job: Job, places: dict[str, str]) -> Job:
        """Begins a job, or goes on with one that is the same; another one is an error."""
        wanted = {**dataclasses.asdict(job), **places}
        for volatile in ("id", "begun", "source", "target"):
            wanted.pop(volatile)
        wanted = json.loads(json.dumps(wanted, default=_as_text))
        path = self._path("job.json")
        if self._fs.exists(path):
            kept = json.loads(self._fs.cat_file(path))
            differ = sorted(name for name, value in wanted.items() if kept.get(name) != value)
            if differ:
                raise errors.OutputExists(f"another job has this manifest: its {', '.join(differ)} differ")
            return dataclasses.replace(job, id=kept["id"], begun=kept["begun"])
        self._fs.makedirs(self._root, exist_ok=True)
        kept = {"id": job.id, "begun": job.begun, **wanted}
        self._put("job.json", json.dumps(kept, indent=2).encode() + b"\n")
        return job

    @property
    def is_planned(self) -> bool:
        return bool(self._fs.exists(self._path("plan/complete")))

    def plan(self, waves: Iterable[pa.Table]) -> None:
        """Writes the plan, which is complete or not at all."""
        if self._fs.exists(self._path("plan")):
            self._fs.rm(self._path("plan"), recursive=True)
        self._fs.makedirs(self._path("plan"), exist_ok=True)
        count = objects = length = 0
        for count, wave in enumerate(waves, 1):
            self._write(f"plan/{count - 1:08}.parquet", wave)
            objects += wave.num_rows
            length += pc.sum(wave["size"]).as_py()
        said = json.dumps({"waves": count, "objects": objects, "bytes": length})
        self._put("plan/complete", said.encode() + b"\n")

    def planned(self) -> Planned:
        """What the plan has in all."""
        return Planned(**json.loads(self._fs.cat_file(self._path("plan/complete"))))

    def entries(self, wave: int) -> pa.Table:
        """The objects of a wave."""
        return self._read(f"plan/{wave:08}.parquet").cast(ENTRIES)

    def runs(self) -> dict[int, int]:
        """Of each wave that has a part of the manifest, the number of its last run."""
        runs: dict[int, int] = {}
        folder = self._path("manifest")
        self._fs.invalidate_cache(folder)
        if self._fs.exists(folder):
            for path in self._fs.ls(folder, detail=False):
                name, ending = posixpath.splitext(posixpath.basename(path))
                # A driver that is killed may leave what is no part yet.
                if ending == ".parquet":
                    wave, _, run = name.partition("-")
                    runs[int(wave)] = max(runs.get(int(wave), 0), int(run))
        return runs

    def rows(self, wave: int, run: int) -> pa.Table:
        """What became of the objects of a wave in a run."""
        return self._read(f"manifest/{wave:08}-{run}.parquet").cast(ROWS) if run else ROWS.empty_table()

    def keep(self, wave: int, run: int, rows: pa.Table) -> None:
        """Writes a part of the manifest."""
        self._fs.makedirs(self._path("manifest"), exist_ok=True)
        self._write(f"manifest/{wave:08}-{run}.parquet", rows)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _write(self, name: str, table: pa.Table) -> None:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        self._put(name, sink.getvalue().to_pybytes())

    def _put(self, name: str, data: bytes) -> None:
        """Writes a file, which is there as a whole or not at all: what a driver leaves half would be read by the next one."""
        path = self._path(name)
        if not is_local(self._fs):
            self._fs.pipe_file(path, data)
            return
        try:
            with open(f"{path}.new", "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(f"{path}.new", path)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.unlink(f"{path}.new")
            raise OSError(error.errno, error.strerror, path) from error

    def _read(self, name: str) -> pa.Table:
        # Of bytes, on this thread: Arrow's own threads would read through Python, and may outlive it.
        part = pa.BufferReader(self._fs.cat_file(self._path(name)))
        return pq.ParquetFile(part, pre_buffer=False).read(use_threads=False)


def _as_text(value: Any) -> str:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value).hex()
    raise TypeError(f"a job's options are text, numbers and bytes, not '{type(value).__name__}'")
