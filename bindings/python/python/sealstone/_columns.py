"""The work of a task on the columns of its batches: plain values without a secret, which an engine carries to its workers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from . import _cells, _native, _options, providers
from ._cells import DataKey, Place, Rows
from ._key_folder import KeyFolder
from ._messages import open_by_any

LIMIT = 2**30
"""Cells that are sealed under one key: a quarter of the 2^32 that NIST allows where IVs are drawn."""


@dataclass(frozen=True)
class Table:
    """Where cells belong, and where their keys are."""

    context: bytes
    row_id: Mapping[str, int]
    """The columns that tell rows apart, each with its number in a batch."""
    keys: str = ""
    """The URL of the folder of keys; empty where each cell is a message of its own."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of the folder's file system."""

    def rows(self, batch: pa.RecordBatch) -> Rows:
        """The ids of a batch's rows."""
        return Rows({title: batch.column(number) for title, number in self.row_id.items()})

    def place(self, column: str) -> Place:
        return Place(self.context, column)


@dataclass(frozen=True)
class Sealing:
    """Seals columns, each for its recipients."""

    table: Table
    columns: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...]
    """The columns that leave, by their numbers: those behind them are row ids in another form."""
    allow_mixed: bool = False

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Seals the cells of a task. Each key is in the folder before the first cell under it leaves."""
        seal = _Keyed(self).seal if self.table.keys else _Messages(self).seal
        for batch in batches:
            for part in _fitting(batch):
                yield _changed(part, self.table, self.columns, seal, self.names)


@dataclass(frozen=True)
class Opening:
    """Opens columns, of text or of bytes."""

    table: Table
    columns: Mapping[str, bool]
    """Which are text."""
    names: tuple[str, ...]
    identities: str

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Opens the cells of a task: all cells of a batch, or it raises."""
        opener = Opener(self.table, self.identities)

        def open(name: str, cells: pa.Array, rows: Rows) -> pa.Array:
            return opener.open(name, cells, rows, self.columns[name])

        for batch in batches:
            yield _changed(batch, self.table, self.columns, open, self.names)


class Opener:
    """Opens cells with the identities that a provider gives."""

    def __init__(self, table: Table, identities: str) -> None:
        self._table, self._identities = table, identities
        self._folder = KeyFolder(table.keys, table.options) if table.keys else None

    def open(self, name: str, cells: pa.Array, rows: Rows, is_text: bool) -> pa.Array:
        place, folder = self._table.place(name), self._folder
        if folder is None:
            return _cells.each(cells, rows, place, self._opened, is_text)
        return _cells.open(cells, rows, place, lambda ids: folder.keys(ids, self._identities), is_text)

    def _opened(self, message: bytes, aad: bytes) -> bytes:
        return open_by_any(providers.identities(self._identities), message, aad)


class _Keyed:
    """Seals under data keys: one for all columns that have the same recipients, and a new one after `LIMIT` cells."""

    def __init__(self, sealing: Sealing) -> None:
        self._sealing = sealing
        self._folder = KeyFolder(sealing.table.keys, sealing.table.options)
        self._keys: dict[tuple[str, ...], tuple[DataKey, int]] = {}

    def seal(self, name: str, values: pa.Array, rows: Rows) -> pa.Array:
        count = len(values) - values.null_count
        if not count:
            # No key is made for nothing.
            return pa.nulls(len(values), pa.binary())
        recipients = self._sealing.columns[name]
        key, used = self._keys.get(recipients, (None, 0))
        if key is None or used + count > LIMIT:
            key, used = self._folder.new(recipients, self._sealing.allow_mixed), 0
        self._keys[recipients] = (key, used + count)
        return _cells.seal(values, rows, self._sealing.table.place(name), key)


class _Messages:
    """Seals each value as a message of its own."""

    def __init__(self, sealing: Sealing) -> None:
        self._table = sealing.table
        self._recipients = {name: _options.recipients_of(texts)[0] for name, texts in sealing.columns.items()}

    def seal(self, name: str, values: pa.Array, rows: Rows) -> pa.Array:
        def sealed(value: bytes, aad: bytes) -> bytes:
            message: bytes = _native.seal_message(self._recipients[name], value, aad=aad)
            return message

        return _cells.each(values, rows, self._table.place(name), sealed, False)


def _changed(
    batch: pa.RecordBatch,
    table: Table,
    chosen: Iterable[str],
    change: Callable[[str, pa.Array, Rows], pa.Array],
    names: tuple[str, ...],
) -> pa.RecordBatch:
    """A batch with the chosen columns changed, and without those behind the named ones."""
    rows = table.rows(batch)
    columns = batch.columns[: len(names)]
    for name in chosen:
        number = names.index(name)
        columns[number] = change(name, columns[number], rows)
    return pa.RecordBatch.from_arrays(columns, names=list(names))


def _fitting(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch in parts, each of whose columns can become cells without more bytes than Arrow's offsets count."""
    if batch.num_rows > 1 and batch.nbytes + batch.num_rows * _cells.OVERHEAD > _cells.MAX_LEN:
        half = batch.num_rows // 2
        yield from _fitting(batch.slice(0, half))
        yield from _fitting(batch.slice(half))
    else:
        yield batch
