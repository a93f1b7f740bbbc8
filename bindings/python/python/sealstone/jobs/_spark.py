"""Apache Spark as the engine: tasks are rows of a DataFrame, which executors work on."""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from . import _task
from ._book import ROWS
from ._engines import lost
from ._entry import Entry, Job, Row
from ._plan import halves

_SCHEMA = (
    "input string, size long, etag string, output string, output_etag string, commitment string, state string, code string,"
    " message string, attempt string, seconds double, detail string"
)


class Spark:
    """Runs tasks on the executors of a Spark session, classic or Connect. Their Python needs this package.

    Spark gives a task of a worker that died to another one, four times. What fails then is taken in halves, until the object is found that
    ends its worker; its row says `worker_lost`.
    """

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, job: Job, tasks: Iterable[list[Entry]]) -> Iterator[list[Row]]:
        """As an `Engine` does. The tasks of a wave are one job of Spark's."""
        left: deque[list[list[Entry]]] = deque([list(tasks)])
        while left:
            together = left.popleft()
            try:
                rows = self._rows(job, together)
            except Exception as error:
                if type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
                    raise
                # A session that does nothing at all has lost no worker: that is for the caller to see.
                self._session.range(1).toArrow()
                if len(together) > 1:
                    middle = len(together) // 2
                    left.extendleft((together[middle:], together[:middle]))
                elif len(together[0]) > 1:
                    left.extendleft([half] for half in halves(together[0]))
                else:
                    yield [lost(together[0][0])]
                continue
            yield rows

    def _rows(self, job: Job, tasks: list[list[Entry]]) -> list[Row]:
        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            from pyspark import TaskContext

            context = TaskContext.get()
            attempt = str(context.taskAttemptId()) if context is not None else ""
            for batch in batches:
                for text in batch.column(1).to_pylist():
                    done = _task.run(job, [Entry(*one) for one in json.loads(text)], attempt)
                    yield pa.RecordBatch.from_arrays(
                        [
                            pa.array(column, field.type)
                            for column, field in zip(zip(*done, strict=True), ROWS, strict=True)
                        ],
                        schema=ROWS,
                    )

        texts = list(enumerate(map(json.dumps, tasks)))
        # Each task is a partition of its own, and so a task of Spark's.
        frame = self._session.createDataFrame(texts, "number int, task string").repartitionById(len(tasks), "number")
        columns = frame.mapInArrow(work, _SCHEMA).toArrow().to_pydict()
        return [Row(*values) for values in zip(*columns.values(), strict=True)]
