"""Columns of a Spark DataFrame, sealed cell by cell: `encrypt_columns`, `decrypt_columns`, and `unseal` for SQL.

A cell is authentic only in its place: in its context, its column, and the row with its id. Each task seals under keys of its own. It writes
these keys to a folder, sealed to the recipients, before any row that needs them leaves the task. Workers that encrypt have only public keys.
Workers that decrypt find the identities by the name of a provider.

These functions use only the DataFrame API, so they work over Spark Connect, too. The Python of the executors needs this package:
`pip install 'sealstone[spark]'`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from . import _native, _options, providers
from ._cells import Rows
from ._columns import Opener, Opening, Sealing, Table
from ._options import Recipients
from .jobs._plan import url_of

__all__ = ["decrypt_columns", "encrypt_columns", "unseal"]

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_AS_TEXT = ("boolean", "date", "timestamp_ntz", "decimal")
_SEALED = "string, binary, boolean, integers, float, double, decimal, date, timestamp and timestamp_ntz"


def encrypt_columns(
    df: Any,
    columns: Mapping[str, Recipients],
    *,
    keys: str = "",
    row_id: str | Sequence[str],
    context: str | bytes,
    per_record: bool = False,
    allow_mixed: bool = False,
    keys_options: Mapping[str, Any] | None = None,
) -> Any:
    """Seals columns of a DataFrame, each for its recipients: `{"ssn": recipients}`. They become `binary`, and null stays null.

    `keys` is the key folder, a path or a URL of fsspec. `decrypt_columns` needs it: whoever loses the folder cannot open the columns.
    `keys_options` are options of its file system. Workers get them, so put the credentials of a store into the workers' environment or role.

    `row_id` is the column, or the columns, that identify a row; none may be null. `context` says what the rows are, such as the table's name.
    Each cell authenticates both, so decryption needs them unchanged.

    With `per_record`, each cell is a message of its own, and there is no key folder. A column then has one recipient, and a record takes about
    60 µs.
    """
    table = _table(df, columns, keys, row_id, context, per_record, keys_options)
    recipients = {name: tuple(str(one) for one in _options.recipients_of(of)) for name, of in columns.items()}
    for name, texts in recipients.items():
        # A wrong recipient is an error before a task runs.
        _options.encryptor(texts, allow_mixed=allow_mixed).encrypted_length(0)
        if per_record:
            if len(texts) != 1:
                raise ValueError(f"a message has one recipient, and the column {name!r} has {len(texts)}")
            _native.seal_message(_options.recipients_of(texts)[0], b"")
    frame = _with_text(df, {name: _text_of(df.schema[name]) for name in columns})
    frame, table = _with_row_id(frame, df, table)
    sealing = Sealing(table, recipients, tuple(df.columns), allow_mixed)
    return _mapped(frame, sealing, df, dict.fromkeys(columns, "binary"))


def decrypt_columns(
    df: Any,
    columns: Mapping[str, Any],
    *,
    keys: str = "",
    identities: str,
    row_id: str | Sequence[str],
    context: str | bytes,
    per_record: bool = False,
    keys_options: Mapping[str, Any] | None = None,
) -> Any:
    """Opens columns of a DataFrame, each with the type that it had: `{"ssn": "string", "born": "date"}`.

    `identities` names where workers find the keys: `file:PATH`, `env:NAME`, `exec:PROGRAM` or `module:function`. The other options must be
    the same as for `encrypt_columns`.

    A cell that is not authentic ends the job: the error, `NotAuthentic`, names its column and its row. Select rows and columns first,
    because the whole frame passes through Python.
    """
    providers.check(identities)
    table = _table(df, columns, keys, row_id, context, per_record, keys_options)
    for name in columns:
        if df.schema[name].dataType.typeName() != "binary":
            raise TypeError(f"the column {name!r} has no cells: it is {df.schema[name].dataType.simpleString()}")
    types = {name: _type(df, given) for name, given in columns.items()}
    for name, kind in types.items():
        _canonical(name, kind)
    frame, table = _with_row_id(df, df, table)
    opening = Opening(
        table, {name: kind.typeName() != "binary" for name, kind in types.items()}, tuple(df.columns), identities
    )
    opened = _mapped(
        frame, opening, df, {name: "string" if text else "binary" for name, text in opening.columns.items()}
    )
    return _with_values(
        opened, {name: kind for name, kind in types.items() if kind.typeName() not in ("string", "binary")}
    )


def unseal(
    *,
    keys: str = "",
    identities: str,
    context: str | bytes,
    column: str,
    returns: str = "string",
    per_record: bool = False,
    keys_options: Mapping[str, Any] | None = None,
) -> Any:
    """A function for `select` and for SQL. Its arguments are the cell and the columns of the row id; its result is the value.

    It opens the cells of one column, whose name is authenticated. `returns` is `string` or `binary`; numbers and dates are text. Row ids
    are text, bytes or integers.
    """
    from pyspark.sql.functions import arrow_udf

    if returns not in ("string", "binary"):
        raise ValueError("an opened cell is string or binary")
    providers.check(identities)
    table = Table(_bytes(context), {}, _folder(keys, per_record), dict(keys_options or {}))

    def opened(cells: pa.Array, *row_id: pa.Array) -> pa.Array:
        if not row_id:
            raise TypeError("the function takes the cell and the row id: NAME(cell, id)")
        titles = ["id"] if len(row_id) == 1 else [f"id{number}" for number in range(1, len(row_id) + 1)]
        rows = Rows(dict(zip(titles, row_id, strict=True)))
        return Opener(table, identities).open(column, cells, rows, returns == "string")

    return arrow_udf(opened, returns)


def _table(
    df: Any,
    columns: Mapping[str, Any],
    keys: str,
    row_id: str | Sequence[str],
    context: str | bytes,
    per_record: bool,
    options: Mapping[str, Any] | None,
) -> Table:
    if not isinstance(columns, Mapping):
        raise TypeError("columns are given with what they are sealed to or become, as in {'ssn': recipient}")
    names = df.columns
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"the frame has several columns {twice[0]!r}")
    ids = [row_id] if isinstance(row_id, str) else list(row_id)
    if not columns or not ids:
        raise ValueError("a column to work on and a row id are needed")
    if len(set(ids)) < len(ids):
        raise ValueError("a column is named twice in the row id")
    for name in (*columns, *ids):
        if name not in names:
            raise ValueError(f"the frame has no column {name!r}: it has {', '.join(names)}")
    both = sorted(set(columns) & set(ids))
    if both:
        raise ValueError(f"the column {both[0]!r} is the row id, which is not sealed")
    numbers = {name: names.index(name) for name in ids}
    return Table(_bytes(context), numbers, _folder(keys, per_record), dict(options or {}))


def _folder(keys: str, per_record: bool) -> str:
    if bool(keys) == per_record:
        raise ValueError("cells have keys in a folder, or are messages with `per_record`: name one of the two")
    return url_of(keys) if keys else ""


def _bytes(context: str | bytes) -> bytes:
    found = context.encode() if isinstance(context, str) else bytes(context)
    if not found:
        raise ValueError("a context says what the rows are, such as the table's name")
    return found


def _mapped(frame: Any, work: Sealing | Opening, df: Any, types: Mapping[str, str]) -> Any:
    """The frame after `work` has changed its batches. It has the schema of `df`, with the types of `types`."""
    from pyspark.sql.types import DataType, StructField, StructType

    def batches(given: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return work.batches(given)

    fields = []
    for one in df.schema.fields:
        name = one.name
        fields.append(StructField(name, DataType.fromDDL(types[name]), one.nullable) if name in types else one)
    if any(set(name) & set(".`") for name in frame.columns):
        # PySpark would read a dot or a backquote as the path to a part of a column. `work` finds columns by number.
        frame = frame.toDF(*(f"c{number}" for number in range(len(frame.columns))))
    return frame.mapInArrow(batches, StructType(fields))


def _canonical(name: str, kind: Any) -> str:
    """How a type becomes text: unchanged, as its microseconds, or with Spark's own cast."""
    word = kind.typeName()
    if word in ("string", "binary"):
        return "itself"
    if word == "timestamp":
        return "micros"
    if kind.simpleString() in (*_WHOLE, "float", "double") or word in _AS_TEXT:
        return "cast"
    raise TypeError(
        f"the column {name!r} is {kind.simpleString()}: cells hold {_SEALED}; make JSON of others with `to_json`"
    )


def _text_of(field: Any) -> Any:
    """The column as its canonical text, or None if it is text or bytes already."""
    from pyspark.sql import functions as F

    column = F.col(_quoted(field.name))
    match _canonical(field.name, field.dataType):
        case "micros":
            # As text, it would depend on the session's time zone, and an hour in autumn would be lost.
            return F.unix_micros(column).cast("string")
        case "cast":
            return column.cast("string")
    return None


def _with_text(df: Any, texts: Mapping[str, Any]) -> Any:
    chosen = {name: column for name, column in texts.items() if column is not None}
    return df.withColumns(chosen) if chosen else df


def _with_row_id(frame: Any, df: Any, table: Table) -> tuple[Any, Table]:
    """The frame with additional columns at its end, for row ids that are neither text nor bytes nor integers."""
    names, numbers = df.columns, dict(table.row_id)
    taken = {name.lower() for name in names}
    extra: dict[str, Any] = {}
    for name in table.row_id:
        kind = df.schema[name].dataType
        if kind.simpleString() in ("float", "double"):
            raise TypeError(f"the row id {name!r} is {kind.simpleString()}, which tells no rows apart")
        if kind.typeName() in ("string", "binary") or kind.simpleString() in _WHOLE:
            continue
        numbers[name] = len(names) + len(extra)
        title = f"row id {name}"
        while title.lower() in taken:
            title += "_"
        extra[title] = _text_of(df.schema[name])
    if not extra:
        return frame, table
    return frame.withColumns(extra), Table(table.context, numbers, table.keys, table.options)


def _with_values(df: Any, types: Mapping[str, Any]) -> Any:
    """Turns columns of canonical text back into values of their types. No error repeats the content of a cell."""
    from pyspark.sql import functions as F

    values = {}
    for name, kind in types.items():
        text = F.col(_quoted(name))
        is_time = kind.typeName() == "timestamp"
        value = F.timestamp_micros(text.try_cast("bigint")) if is_time else text.try_cast(kind)
        wrong = F.raise_error(F.lit(f"the cells of the column {name!r} hold no {kind.simpleString()}"))
        values[name] = F.when(text.isNull(), F.lit(None)).otherwise(F.coalesce(value, wrong.cast(kind)))
    return df.withColumns(values) if values else df


def _type(df: Any, given: Any) -> Any:
    from pyspark.sql.types import DataType

    return given if isinstance(given, DataType) else DataType.fromDDL(given)


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
