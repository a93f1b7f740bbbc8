"""Cells of a column: the form in which each is sealed, and how a whole column of Arrow's is sealed and opened in one call.

A cell is `key id 16 ‖ IV 12 ‖ ciphertext ‖ tag 16`, AES-256-GCM under a data key, which the key id names. With each cell its place is
authenticated: context, column and row id, each after its length in 4 bytes, the highest first. So a cell opens in its own place alone.
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from . import errors
from .aead import AeadKey

ALGORITHM: Final = "aes-256-gcm"
ID_LEN = 16
IV_LEN = 12
OVERHEAD = ID_LEN + IV_LEN + 16
"""Bytes that a cell has more than its value."""
MAX_LEN = 2**31 - 1
"""Bytes of all values of an array, where Arrow's offsets have 4 bytes."""
_INDEX = re.compile(r"chunk (\d+)")


class DataKey(NamedTuple):
    """A key under which cells are sealed, and its name."""

    id: bytes
    key: AeadKey


Keys = Callable[[Sequence[bytes]], Mapping[bytes, AeadKey]]
"""A function that finds the keys of some ids."""


class Place(NamedTuple):
    """The place of a column: all its cells have it in common."""

    context: bytes
    column: str

    @property
    def aad(self) -> bytes:
        """The part of the associated data that comes before the row id."""
        return _prefixed(self.context) + _prefixed(self.column.encode())


class Rows:
    """The row ids of a batch, as they are authenticated: one column of bytes.

    Text stands for itself in UTF-8, bytes for themselves, an integer for its decimal digits. Of several columns each has its length
    before it.
    """

    def __init__(self, columns: Mapping[str, pa.Array]) -> None:
        self.titles = list(columns)
        arrays = []
        for title, column in columns.items():
            if column.null_count:
                raise ValueError(
                    f"the row id {title!r} is null in {column.null_count} rows: a cell belongs to a row by its id"
                )
            arrays.append(_plain(pc.cast(column, pa.string()) if pa.types.is_integer(column.type) else column))
        self.array = arrays[0] if len(arrays) == 1 else _joined(arrays)

    def filter(self, mask: pa.Array) -> "Rows":
        """The rows of which the mask says so."""
        return self._with(self.array.filter(mask))

    def take(self, indices: pa.Array) -> "Rows":
        """Some rows, in an order."""
        return self._with(self.array.take(indices))

    def _with(self, array: pa.Array) -> "Rows":
        rows = object.__new__(Rows)
        rows.titles, rows.array = self.titles, array
        return rows

    def name(self, index: int) -> str:
        """A row as an error names it."""
        rest = _bytes(self.array.slice(index, 1))[0] or b""
        parts = [rest]
        if len(self.titles) > 1:
            parts = []
            while rest:
                (length,) = struct.unpack_from(">I", rest)
                parts.append(rest[4 : 4 + length])
                rest = rest[4 + length :]
        titles = (title if title.isprintable() else repr(title) for title in self.titles)
        return ", ".join(f"{title}={_shown(part)}" for title, part in zip(titles, parts, strict=True))

    def aads(self, place: Place) -> Iterator[bytes]:
        """The whole associated data of each row."""
        aad = place.aad
        for value in _bytes(self.array):
            yield aad + _prefixed(value or b"")


def seal(values: pa.Array, rows: Rows, place: Place, key: DataKey) -> pa.Array:
    """Seals the values of a column, of text or of bytes. What is null stays null."""

    return _without_nulls(_plain(values), rows, lambda values, rows: _sealed(values, rows, place, key))


def open(cells: pa.Array, rows: Rows, place: Place, keys: Keys, is_text: bool) -> pa.Array:
    """Opens the cells of a column. `NotAuthentic` names a row whose cell is not: of one key, the first."""
    kind = _kind(_plain(cells).type, is_text)
    return _without_nulls(_plain(cells), rows, lambda cells, rows: _opened(cells, rows, place, keys, kind), kind)


def each(
    values: pa.Array, rows: Rows, place: Place, change: Callable[[bytes, bytes], bytes], is_text: bool
) -> pa.Array:
    """Changes each value alone, given its associated data."""
    done: list[bytes | None] = []
    for index, (value, aad) in enumerate(zip(_bytes(_plain(values)), rows.aads(place), strict=True)):
        try:
            done.append(None if value is None else change(value, aad))
        except errors.Error as error:
            raise type(error)(f"the cell of column {place.column!r} in the row {rows.name(index)}: {error}") from None
    return pa.array(done, pa.binary()).view(_kind(pa.binary(), is_text))


def _sealed(values: pa.Array, rows: Rows, place: Place, key: DataKey) -> pa.Array:
    return _records(key.key.seal_records, key.id, values, rows, place, _kind(values.type, False))


def _opened(cells: pa.Array, rows: Rows, place: Place, keys: Keys, kind: pa.DataType) -> pa.Array:
    if not len(cells):
        return pa.array([], kind)
    first = cells[0].as_py()[:ID_LEN]
    if len(first) == ID_LEN and pc.all(pc.starts_with(cells, first)).as_py():
        return _opened_by_one(cells, rows, place, DataKey(first, keys([first])[first]), kind)
    short = pc.index(pc.less(pc.binary_length(cells), OVERHEAD), True).as_py()
    if short >= 0:
        raise _wrong(place, rows, short)
    # The cells of one key together, and afterwards in their order again.
    ids = pc.binary_slice(cells, 0, ID_LEN).dictionary_encode()
    found = keys(ids.dictionary.to_pylist())
    order = pc.sort_indices(ids.indices)
    counts = pc.value_counts(ids.indices.take(order))
    parts, start = [], 0
    for code, count in zip(counts.field(0).to_pylist(), counts.field(1).to_pylist(), strict=True):
        chosen = order.slice(start, count)
        id = ids.dictionary[code].as_py()
        key = DataKey(id, found[id])
        parts.append(_opened_by_one(cells.take(chosen), rows.take(chosen), place, key, kind))
        start += count
    return pa.concat_arrays(parts).take(pc.sort_indices(order))


def _opened_by_one(cells: pa.Array, rows: Rows, place: Place, key: DataKey, kind: pa.DataType) -> pa.Array:
    try:
        return _records(key.key.open_records, key.id, cells, rows, place, kind)
    except errors.NotAuthentic as error:
        found = _INDEX.search(str(error))
        raise _wrong(place, rows, int(found[1]) if found else 0) from None


def _records(
    work: Callable[..., tuple[bytes, bytes]], id: bytes, array: pa.Array, rows: Rows, place: Place, kind: pa.DataType
) -> pa.Array:
    """Has native code work on a whole array."""
    data, offsets = work(
        *_buffers(array),
        prefix=id,
        aad=place.aad,
        names=_buffers(rows.array),
        large=_is_large(array.type),
        large_names=_is_large(rows.array.type),
    )
    return pa.Array.from_buffers(kind, len(array), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _without_nulls(
    array: pa.Array, rows: Rows, work: Callable[[pa.Array, Rows], pa.Array], kind: pa.DataType | None = None
) -> pa.Array:
    kind = kind or _kind(array.type, False)
    if not array.null_count:
        return work(array, rows)
    there = array.is_valid()
    done = work(array.drop_null(), rows.filter(there))
    return pc.replace_with_mask(pa.nulls(len(array), kind), there, done)


def _wrong(place: Place, rows: Rows, index: int) -> errors.NotAuthentic:
    return errors.NotAuthentic(
        f"the cell of column {place.column!r} in the row {rows.name(index)} is not authentic: it was changed or is another"
        " cell's, or context, column or row id are other ones"
    )


def _buffers(array: pa.Array) -> tuple[bytes, bytes]:
    """The values and the offsets of an array, as far as they are the array's.

    Native code reads `bytes` where they are, and of any other buffer makes a copy that it zeroes: that takes longer than this copy.
    """
    width = 8 if _is_large(array.type) else 4
    _, offsets, values = array.buffers()
    if offsets is None or not offsets.size:
        # An array of nothing may have no offset.
        return b"", bytes(width)
    ends = pa.Array.from_buffers(
        pa.int64() if width == 8 else pa.int32(), len(array) + 1, [None, offsets], 0, array.offset
    )
    start, end = ends[0].as_py(), ends[-1].as_py()
    if start:
        # A part of an array: its values alone are copied.
        ends = pc.subtract(ends, pa.scalar(start, ends.type))
    offsets = ends.buffers()[1].slice(ends.offset * width, len(ends) * width)
    return values.slice(start, end - start).to_pybytes() if values is not None else b"", offsets.to_pybytes()


def _plain(array: pa.Array) -> pa.Array:
    """An array whose values lie one behind the other."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return _plain(array.dictionary_decode())
    if pa.types.is_string_view(kind):
        return pc.cast(array, pa.string())
    if pa.types.is_binary_view(kind) or pa.types.is_fixed_size_binary(kind):
        return pc.cast(array, pa.binary())
    if not any(matches(kind) for matches in _PLAIN):
        raise TypeError(f"text or bytes are needed, not {kind}")
    return array


_PLAIN = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string, pa.types.is_large_binary)


def _bytes(array: pa.Array) -> list[bytes | None]:
    """The values as bytes. Text of Spark's may be no UTF-8, and Arrow's is not looked at for it either."""
    found: list[bytes | None] = array.view(_kind(array.type, False)).to_pylist()
    return found


def _is_large(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind) or pa.types.is_large_binary(kind))


def _kind(like: pa.DataType, is_text: bool) -> pa.DataType:
    if _is_large(like):
        return pa.large_string() if is_text else pa.large_binary()
    return pa.string() if is_text else pa.binary()


def _joined(arrays: Sequence[pa.Array]) -> pa.Array:
    parts = []
    for array in arrays:
        lengths = pc.binary_length(array).dictionary_encode()
        before = pa.array([struct.pack(">I", length) for length in lengths.dictionary.to_pylist()], pa.binary())
        parts += [before.take(lengths.indices), pc.cast(array, pa.binary())]
    return pc.binary_join_element_wise(*parts, pa.scalar(b"", pa.binary()))


def _prefixed(part: bytes) -> bytes:
    return struct.pack(">I", len(part)) + part


def _shown(part: bytes) -> str:
    try:
        return repr(part.decode())
    except UnicodeDecodeError:
        return part.hex()
