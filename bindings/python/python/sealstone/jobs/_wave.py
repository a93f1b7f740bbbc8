"""The waves in progress: the objects that are left of each, and the outcomes of the others."""

import random
from collections.abc import Iterable, Iterator

import pyarrow as pa
import pyarrow.compute as pc

from . import _plan
from ._book import Book
from ._entry import ROWS


class Waves:
    """The waves of a plan, whose tasks an engine takes. When a wave is done, its part of the manifest is written.

    The order of the waves is random. Similar names are in one partition of an object store, which answers only some thousand requests a
    second. An engine with many workers has many waves in progress, and so many partitions.
    """

    def __init__(self, book: Book, chance: str) -> None:
        self._book = book
        self._planned = book.planned()
        self._order = list(range(self._planned.waves))
        random.Random(chance).shuffle(self._order)
        self._runs = book.runs()
        self._at_work: dict[int, _Wave] = {}
        self.kept: list[pa.Table] = []
        """The outcomes of earlier runs that are not counted yet."""

    def tasks(self) -> Iterator[pa.RecordBatch]:
        """All tasks that are left, one wave after the other."""
        for number in self._order:
            entries = self._book.entries(self._planned, number)
            rows = self._book.rows(number, self._runs.get(number, 0))
            kept = rows.filter(pc.not_equal(rows["state"], "failed"))
            left = entries.filter(pc.invert(pc.is_in(entries["input"], value_set=kept["input"])))
            self.kept.append(kept)
            if left.num_rows:
                self._at_work[number] = _Wave(entries, kept, left.num_rows)
                yield from _plan.tasks(left, number, self._planned.objects, self._planned.bytes)

    def add(self, done: pa.RecordBatch) -> Iterator[pa.Table]:
        """Takes the outcomes of an engine, and gives the rows of each wave that is then complete."""
        for number in pc.unique(done.column("wave")).to_pylist():
            wave = self._at_work[number]
            wave.add(pa.Table.from_batches([done.filter(pc.equal(done.column("wave"), number))]).select(ROWS.names))
            if wave.left <= 0:
                yield self._keep(number)

    def close(self) -> None:
        """Writes the outcomes of incomplete waves. The next run does the rest."""
        for number in list(self._at_work):
            self._keep(number)

    @property
    def left(self) -> int:
        """Objects without an outcome, in the waves that the engine has begun."""
        return sum(wave.left for wave in self._at_work.values())

    def _keep(self, number: int) -> pa.Table:
        wave = self._at_work.pop(number)
        rows = wave.table()
        if wave.is_changed:
            self._runs[number] = self._book.keep(number, self._runs.get(number, 0) + 1, rows)
        return rows


class _Wave:
    """A wave with objects that are left."""

    def __init__(self, entries: pa.Table, kept: pa.Table, left: int) -> None:
        self._entries = entries
        self._rows = [kept]
        self.left = left
        self.is_changed = False

    def add(self, rows: pa.Table) -> None:
        self._rows.append(rows)
        self.left -= rows.num_rows
        self.is_changed = True

    def table(self) -> pa.Table:
        """All rows, in the order of the plan."""
        rows = pa.concat_tables(self._rows)
        return rows.take(pc.index_in(self._entries["input"], value_set=rows["input"]).drop_null())


def counts(rows: Iterable[pa.Table | pa.RecordBatch]) -> dict[str, int]:
    """The number of rows in each state, the bytes of the done ones, and how many of those have no payload hash."""
    found = {"done": 0, "adopted": 0, "skipped": 0, "failed": 0, "bytes": 0, "unhashed": 0}
    for some in rows:
        for one in pc.value_counts(some["state"]).to_pylist():
            found[one["values"]] += one["counts"]
        written = pc.is_in(some["state"], value_set=pa.array(["done", "adopted"]))
        found["bytes"] += pc.sum(some["size"].filter(written)).as_py() or 0
        found["unhashed"] += pc.sum(pc.and_(written, pc.equal(some["payload"], ""))).as_py() or 0
    return found
