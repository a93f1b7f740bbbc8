"""Apache Spark as the engine: the objects of tasks are rows of a DataFrame, which executors work on."""

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
"""Tasks of one job of Spark's at most: it gives back all their rows at once."""


class Spark:
    """Runs tasks on the executors of a Spark session, classic or Connect. Their Python needs this package.

    Spark gives a task of a worker that died to another one, four times. What fails then is taken in halves, until the object is found that
    ends its worker; its row says `worker_lost`.

    `slots` is how many tasks the cluster runs at once: cores of all executors. A Connect session does not say it, and a cluster that grows
    says what it has now. Twice as many tasks are given to Spark, as several jobs, so that no slot waits for the slowest task of a job.
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
        """Runs tasks as one job of Spark's, and what fails in halves."""
        found: list[pa.RecordBatch] = []
        left = deque([tasks])
        while left:
            some = left.popleft()
            try:
                found += self._rows(job, some)
            except PythonException:
                # The worker lives: it has no key, or no package. No object is to blame.
                raise
            except Exception as error:
                if type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
                    raise
                # A session that does nothing at all has lost no worker: that is for the caller to see.
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
        # Each task is a partition of its own, and so a task of Spark's.
        frame = self._session.createDataFrame(numbered).repartitionById(len(tasks), "task")
        found: list[pa.RecordBatch] = frame.mapInArrow(worked, _SCHEMA).toArrow().to_batches()
        return found


def _slots(session: Any) -> int:
    context = (
        getattr(session, "sparkContext", None) if type(session).__module__.startswith("pyspark.sql.session") else None
    )
    return int(context.defaultParallelism) if context is not None else 16
