"""Apache Spark as the engine: the objects of tasks are rows of a DataFrame, and executors work on them."""

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import Any

import pyarrow as pa
from pyspark.errors import PythonException

from . import _task, _wire
from ._entry import DONE, TASK, Job
from ._plan import halves

_TYPES = {"int64": "long", "int32": "int"}
_SCHEMA = ", ".join(f"{field.name} {_TYPES.get(str(field.type), field.type)}" for field in DONE)
_TOGETHER = 256
"""The most tasks of one Spark job: the driver gets all their rows at once."""


class Spark:
    """Runs tasks on the executors of a Spark session, classic or Connect. The executors' Python needs this package.

    If a worker dies, Spark gives its task to another worker, four times. Then the engine halves the tasks until it finds the object that ends
    its worker. The row of that object says `worker_lost`.

    `slots` is how many tasks the cluster runs at once: the cores of all executors. A Connect session does not know it, and a growing cluster
    reports its present size. Spark gets twice as many tasks, in several Spark jobs, so that no slot waits for the slowest task of a job.
    """

    def __init__(self, session: Any, slots: int | None = None) -> None:
        self._session = session
        self._slots = slots or _slots(session)

    def run(self, job: Job, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """As an `Engine` does."""
        left = iter(tasks)
        together = min(_TOGETHER, 2 * self._slots)
        at_once = max(2, -(-2 * self._slots // together))
        running: set[Future[list[pa.RecordBatch]]] = set()
        with ThreadPoolExecutor(at_once, thread_name_prefix="sealstone-spark") as pool:
            while True:
                while len(running) < at_once and (some := list(islice(left, together))):
                    running.add(pool.submit(self._done, job, some))
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from future.result()

    def _done(self, job: Job, tasks: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """Runs tasks as one Spark job. If the job fails, it halves them."""
        found: list[pa.RecordBatch] = []
        left = deque([tasks])
        while left:
            some = left.popleft()
            try:
                found += self._rows(job, some)
            except PythonException:
                # The worker is alive, but lacks a key or the package. No object is the cause.
                raise
            except Exception as error:
                if type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
                    raise
                # If the session itself no longer works, this raises an error for the caller: no object has ended a worker.
                self._session.range(1).toArrow()
                if len(some) > 1:
                    middle = len(some) // 2
                    left.extendleft((some[middle:], some[:middle]))
                elif some[0].num_rows > 1:
                    left.extendleft([half] for half in halves(some[0]))
                else:
                    found.append(_wire.lost(some[0]))
        return found

    def _rows(self, job: Job, tasks: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
        work = _task.run

        def worked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context = TaskContext.get()
            attempt = str(context.taskAttemptId()) if context is not None else ""
            for batch in batches:
                task = pa.RecordBatch.from_arrays([batch.column(name) for name in TASK.names], schema=TASK)
                yield _wire.run(work, job, task, attempt)

        numbered = pa.concat_tables(
            pa.Table.from_batches([task]).append_column("task", pa.array([number] * task.num_rows, pa.int32()))
            for number, task in enumerate(tasks)
        )
        # Each task is a partition of its own, and so a Spark task.
        frame = self._session.createDataFrame(numbered).repartitionById(len(tasks), "task")
        found: list[pa.RecordBatch] = frame.mapInArrow(worked, _SCHEMA).toArrow().to_batches()
        return found


def _slots(session: Any) -> int:
    context = (
        getattr(session, "sparkContext", None) if type(session).__module__.startswith("pyspark.sql.session") else None
    )
    return int(context.defaultParallelism) if context is not None else 16
