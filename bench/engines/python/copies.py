"""A job that copies: the same listing, plan, tasks, publication and manifest as one that encrypts, with nothing to compute."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from typing import Any

from sealstone.jobs import _task
from sealstone.jobs._engines import Processes
from sealstone.jobs._entry import Entry, Job, Row
from sealstone.jobs._store import publication, state_of


class _Copier(_task._Worker):
    """Has another way from an input to an output."""

    def _encrypt(self, entry: Entry) -> dict[str, str]:
        (_, source_path), (fs, path) = self._source(entry.input), self._target(entry.output)
        target: Any = publication(fs, path, self._job.id)
        try:
            with open(source_path, "rb", buffering=0) as source:
                # In the kernel, as `shutil.copyfile` does.
                while os.sendfile(target._file, source.fileno(), None, 1 << 30):
                    pass
        except BaseException:
            target.abandon()
            raise
        target.publish()
        return {"output_etag": state_of(fs, path)[1]}


def take_place() -> None:
    """From now on this process copies where it was to encrypt."""
    _task._Worker = _Copier  # type: ignore[misc]


def run(job: Job, entries: Sequence[Entry], attempt: str = "", wave: int = 0) -> list[Row]:
    """Works on all objects of a task, as `sealstone.jobs` does."""
    take_place()
    return _task.run(job, entries, attempt, wave)


class Copying(Processes):
    """The engine `processes`, whose workers copy."""

    def _pool(self, workers: int) -> Executor:
        return _Other(super()._pool(workers))


class _Other(Executor):
    """An executor that is told to encrypt, and has its workers copy."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        return self._pool.submit(work, *(run if one is _task.run else one for one in arguments), **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)
