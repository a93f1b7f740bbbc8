"""Jobs on Spark: one that encrypts, and one whose executors copy."""

import os
from collections.abc import Callable, Iterator
from typing import Any

import jobs
from session import session

_Work = Callable[[Iterator[Any]], Iterator[Any]]


class _Frame:
    """A DataFrame whose tasks do something else."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def repartitionById(self, *arguments: Any) -> "_Frame":
        return _Frame(self._frame.repartitionById(*arguments))

    def mapInArrow(self, work: _Work, schema: str) -> Any:
        return self._frame.mapInArrow(_copying(work), schema)


class _Session:
    """A session whose tasks copy where they were to encrypt."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def createDataFrame(self, *arguments: Any) -> _Frame:
        return _Frame(self._session.createDataFrame(*arguments))

    def range(self, *arguments: Any) -> Any:
        return self._session.range(*arguments)


def _copying(work: _Work) -> _Work:
    import copies

    folder = os.path.dirname(os.path.abspath(copies.__file__))

    def copying(batches: Iterator[Any]) -> Iterator[Any]:
        import sys

        # An executor does not know where this program is.
        sys.path.insert(0, folder)
        import copies

        copies.take_place()
        yield from work(batches)

    return copying


def _spark(work: str, workers: int) -> Any:
    from sealstone.jobs._spark import Spark

    one = session(str(workers))
    return Spark(_Session(one) if work == "copy" else one, workers)


OPERATIONS = {f"job/{work}": jobs.operation(work, _spark) for work in ("encrypt", "copy")}
