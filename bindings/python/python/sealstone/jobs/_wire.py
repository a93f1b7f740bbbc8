"""Tasks on the way to a worker and back, as tables: so the driver makes no Python objects, even for a hundred million objects."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import pyarrow as pa

from ._entry import DONE, ENTRIES, ROWS, TASK, Entry, Job, Row

Work: TypeAlias = Callable[[Job, Sequence[Entry], str, int], list[Row]]
"""A function that works on the objects of a task, all of one wave."""


def run(work: Work, job: Job, task: pa.RecordBatch, attempt: str = "") -> pa.RecordBatch:
    """Works on a task in this process."""
    return _answer(task, work(job, _entries(task), attempt, task.column("wave")[0].as_py()))


def run_packed(work: Work, job: Job, task: bytes) -> bytes:
    """Works on a task that has come from another process."""
    return packed(run(work, job, pa.ipc.read_record_batch(task, TASK)))


def packed(batch: pa.RecordBatch) -> bytes:
    """A batch as bytes. `pickle` would include the whole table that a slice is a part of."""
    data: bytes = batch.serialize().to_pybytes()
    return data


def unpacked(data: bytes) -> pa.RecordBatch:
    """The result of a task."""
    return pa.ipc.read_record_batch(data, DONE)


def lost(task: pa.RecordBatch) -> pa.RecordBatch:
    """The outcome of the single object of a task that ends its worker."""
    message = "the worker died while it worked on this object"
    rows = [Row(*one[:4], "", "", "", "failed", "worker_lost", message, "", 0.0, "") for one in _entries(task)]
    return _answer(task, rows)


def _entries(task: pa.RecordBatch) -> list[Entry]:
    columns = (task.column(name).to_pylist() for name in ENTRIES.names)
    return [Entry(*values) for values in zip(*columns, strict=True)]


def _answer(task: pa.RecordBatch, rows: list[Row]) -> pa.RecordBatch:
    columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), ROWS, strict=True)]
    return pa.RecordBatch.from_arrays([*columns, task.column("wave")], schema=DONE)
