"""Engines, which run the tasks of a job: processes of this machine, or any `concurrent.futures.Executor`."""

import multiprocessing
import os
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from types import ModuleType
from typing import Protocol

import pyarrow as pa

from . import _task, _wire
from ._entry import Job
from ._plan import halves

_WAITING = 2
"""Tasks that an engine has for each of its workers, so that none waits for the driver."""


class Engine(Protocol):
    """Runs tasks, and gives the outcomes of their objects, in any order."""

    def run(self, job: Job, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Runs all tasks; it takes them as workers become free. `_wire.run` works on one task."""
        ...


class Processes:
    """Processes of this machine, which need no server. It is the engine unless another is given.

    If a worker dies, all workers of its pool end, and a new pool starts. The tasks of the old pool run again, one at a time. If one of them
    ends its worker again, the engine halves the task until one object is left. The row of that object says `worker_lost`.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or len(os.sched_getaffinity(0))

    def run(self, job: Job, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """As an `Engine` does."""
        suspects: deque[pa.RecordBatch] = deque()
        left = iter(tasks)
        is_done = False
        while not is_done:
            with self._pool(self._workers) as pool:
                is_done = yield from _through(pool, self._workers * _WAITING, job, left, suspects)
            while suspects:
                yield from self._alone(job, suspects)

    def _pool(self, workers: int) -> Executor:
        # A forked process would copy the state of this process's threads in the middle of their work.
        return ProcessPoolExecutor(workers, multiprocessing.get_context("forkserver"), _end_with_the_driver)

    def _alone(self, job: Job, suspects: deque[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Runs tasks whose worker died, one at a time, until one dies again."""
        with self._pool(1) as pool:
            while suspects:
                task = suspects.popleft()
                try:
                    yield _wire.unpacked(_submit(pool, job, task).result())
                except BrokenExecutor:
                    if task.num_rows == 1:
                        yield _wire.lost(task)
                    else:
                        suspects.extendleft(halves(task))
                    return


def _end_with_the_driver() -> None:
    """Ends a worker when its driver ends. A killed driver sends no message, and a worker that waits for it would keep its keys in memory."""
    driver = multiprocessing.parent_process()
    assert driver is not None

    def wait_for_it() -> None:
        driver.join()
        os._exit(1)

    threading.Thread(target=wait_for_it, name="sealstone-driver", daemon=True).start()


class OnExecutor:
    """Any `concurrent.futures.Executor`, such as that of Dask. It must run the tasks of a dead worker again."""

    def __init__(self, executor: Executor, workers: int = 64) -> None:
        self._executor = executor
        self._workers = workers

    def run(self, job: Job, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """As an `Engine` does."""
        suspects: deque[pa.RecordBatch] = deque()
        if not (yield from _through(self._executor, self._workers * _WAITING, job, iter(tasks), suspects)):
            raise BrokenExecutor("the executor is broken; a run with the same manifest goes on")


def _through(
    pool: Executor, width: int, job: Job, tasks: Iterator[pa.RecordBatch], suspects: deque[pa.RecordBatch]
) -> Generator[pa.RecordBatch, None, bool]:
    """Runs tasks through a pool. Returns true after the last task, or false if the pool breaks: then `suspects` has its tasks."""
    running: dict[Future[bytes], pa.RecordBatch] = {}
    is_broken = False
    is_more = True
    while is_more or running:
        while is_more and not is_broken and len(running) < width:
            task = next(tasks, None)
            if task is None:
                is_more = False
                break
            try:
                running[_submit(pool, job, task)] = task
            except BrokenExecutor:
                suspects.append(task)
                is_broken = True
        if not running:
            break
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            task = running.pop(future)
            try:
                yield _wire.unpacked(future.result())
            except BrokenExecutor:
                suspects.append(task)
                is_broken = True
    return not is_broken and not is_more


def _submit(pool: Executor, job: Job, task: pa.RecordBatch) -> Future[bytes]:
    with _without_program():
        return pool.submit(_wire.run_packed, _task.run, job, _wire.packed(task))


@contextmanager
def _without_program() -> Iterator[None]:
    """Prevents new processes from running this program, as `multiprocessing` does to find functions: it could make new keys."""
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program
