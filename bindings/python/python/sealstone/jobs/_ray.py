"""Ray as the engine: each task of a job is a Ray task."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import ray
from ray.exceptions import NodeDiedError, OutOfMemoryError, WorkerCrashedError

from . import _task, _wire
from ._entry import Job
from ._plan import halves

_RETRIES = 3


class Ray:
    """Runs tasks on a Ray cluster, which the program has joined with `ray.init`. Its workers need this package.

    If a worker dies, Ray gives its task to another worker, three times. Then the engine halves the task until it finds the object that ends
    its worker. The row of that object says `worker_lost`.
    """

    def run(self, job: Job, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """As an `Engine` does. Each core of the cluster has two tasks, so that none waits for the driver."""
        work = ray.remote(max_retries=_RETRIES, num_cpus=1)(_wire.run_packed)
        width = 2 * max(int(ray.cluster_resources().get("CPU", 1)), 1)
        job_at = ray.put(job)
        left = iter(tasks)
        suspects: deque[pa.RecordBatch] = deque()
        running: dict[Any, pa.RecordBatch] = {}
        while True:
            while len(running) < width:
                task = suspects.popleft() if suspects else next(left, None)
                if task is None:
                    break
                running[work.remote(_task.run, job_at, _wire.packed(task))] = task
            if not running:
                return
            for done in ray.wait(list(running), num_returns=1)[0]:
                task = running.pop(done)
                try:
                    yield _wire.unpacked(ray.get(done))
                except (WorkerCrashedError, OutOfMemoryError, NodeDiedError):
                    if task.num_rows == 1:
                        yield _wire.lost(task)
                    else:
                        suspects.extend(halves(task))
