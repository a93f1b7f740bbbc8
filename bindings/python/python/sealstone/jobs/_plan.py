"""The plan of a job: the objects of a source, in waves and tasks. They are tables, and memory does not grow with the number of objects."""

import contextlib
import errno
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc
from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs
from fsspec.utils import glob_translate

from ._entry import ENTRIES, TASK
from ._store import etag_of, is_local, is_s3, state_of

WAVE_FILES = 50_000
WAVE_BYTES = 2 << 40
TASK_FILES = 1_000
TASK_BYTES = 256 << 20
_TASKS = 100_000
"""With more tasks than this, tasks become larger. An engine takes milliseconds for each, and this many keep a thousand executors busy."""
_MOST_FILES, _MOST_BYTES = 10_000, 16 << 30
"""The most files and bytes of a task, unless a single object has more: a worker that dies loses this work."""
_OBJECTS = pa.schema([ENTRIES.field(name) for name in ("input", "size", "etag")])
"""The columns of a listing."""


class Naming:
    """The names of outputs."""

    def __init__(self, source: str, target: str, add: str = "", remove: str = "", is_in_place: bool = False) -> None:
        self._source, self._target = source.rstrip("/"), target.rstrip("/")
        self._add, self._remove = add, remove
        self._is_in_place = is_in_place

    def outputs(self, inputs: pa.Array) -> pa.Array:
        """The URL of each input's output; empty if the job writes none."""
        if self._is_in_place:
            return inputs
        if not self._target:
            return pa.array([""] * len(inputs), pa.string())
        # An inventory may have objects that are not below the source.
        below = pc.utf8_slice_codeunits(inputs, len(self._source) + 1)
        names = pc.if_else(pc.starts_with(inputs, f"{self._source}/"), below, inputs)
        # The source is one object: its name is the last part of it.
        names = pc.if_else(pc.equal(inputs, self._source), self._source.rsplit("/", 1)[-1], names)
        if self._remove:
            without = pc.utf8_slice_codeunits(names, 0, -len(self._remove))
            names = pc.if_else(pc.ends_with(names, self._remove), without, names)
        return pc.binary_join_element_wise(f"{self._target}/", names, self._add, "")


def listed(source: str, options: dict[str, Any]) -> Iterator[pa.Table]:
    """The objects below a URL: the URL, length and ETag of each. The given URL may be a pattern (`*`)."""
    fs, root = url_to_fs(source, **options)
    if _is_pattern(fs, root):
        yield _page(fs, _matching(fs, root))
    elif fs.isfile(root):
        if is_s3(fs) and next(_pages(fs, root)):
            raise ValueError(
                f"{source} is an object, and there are others below it: list those with {source}/* or an inventory"
            )
        yield _page(fs, [fs.info(root)])
    elif not fs.exists(root):
        # A job without objects would report success.
        raise FileNotFoundError(errno.ENOENT, "there is no object below the source", source)
    elif is_s3(fs):
        for page in _pages(fs, root):
            yield _page(fs, page)
    else:
        for infos in _walked(fs, root):
            yield _page(fs, infos)


def _walked(fs: AbstractFileSystem, root: str, depth: int = 0) -> Iterator[list[dict[str, Any]]]:
    """The files of a folder and the folders below it, down to `depth` levels (0: all). A folder that cannot be listed is an error: fsspec's
    own walk would leave it out."""
    folders = [(root, 1)]
    while folders:
        folder, level = folders.pop()
        infos = sorted(fs.ls(folder, detail=True), key=lambda info: str(info["name"]))
        yield [info for info in infos if info["type"] != "directory"]
        if level != depth:
            names = [info["name"].rstrip("/") for info in infos if info["type"] == "directory"]
            folders += [(name, level + 1) for name in reversed(names) if name != folder.rstrip("/")]


def _matching(fs: AbstractFileSystem, pattern: str) -> list[dict[str, Any]]:
    """The files that match a pattern, in the order of their names."""
    if is_s3(fs):
        return [info for _, info in sorted(fs.glob(pattern, detail=True).items())]
    root = _folder_of(fs, pattern)
    depth = 0 if "**" in pattern else pattern[len(root) :].strip("/").count("/") + 1
    is_match = re.compile(glob_translate(pattern)).match
    found = [info for infos in _walked(fs, root, depth) for info in infos if is_match(info["name"])]
    return sorted(found, key=lambda info: str(info["name"]))


def root_of(source: str, options: dict[str, Any]) -> str:
    """The beginning of the URLs of a source's objects, which the names of outputs do not have. For a pattern: its folders before `*`."""
    fs, root = url_to_fs(source, **options)
    return str(fs.unstrip_protocol(_folder_of(fs, root)))


def _folder_of(fs: AbstractFileSystem, path: str) -> str:
    """A path itself, or for a pattern the folders before its first sign."""
    while _is_pattern(fs, path):
        path = fs._parent(path)
    return path


def is_pattern(source: str, options: dict[str, Any]) -> bool:
    """Whether a source is a pattern."""
    return _is_pattern(*url_to_fs(source, **options))


def _is_pattern(fs: AbstractFileSystem, path: str) -> bool:
    """Whether a path is a pattern. A path that exists is a name, whatever signs it has."""
    return any(sign in path for sign in "*?[") and not fs.exists(path)


def _page(fs: AbstractFileSystem, infos: Iterable[dict[str, Any]]) -> pa.Table:
    files = [found for info in infos if (found := _followed(fs, info))["type"] == "file"]
    for info in files:
        try:
            info["name"].encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"a name that is not UTF-8 has no URL: {info['name']!r}") from error
    columns = (
        [fs.unstrip_protocol(info["name"]) for info in files],
        [info["size"] for info in files],
        [info.get("state") or etag_of(info) for info in files],
    )
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, _OBJECTS, strict=True)], _OBJECTS)


def _followed(fs: AbstractFileSystem, info: dict[str, Any]) -> dict[str, Any]:
    """The description of a local file, or of the target of a symbolic link. A broken or circular link, or a file that has disappeared, counts
    as a file, which then fails. A link to a folder is left out."""
    if not is_local(fs):
        return info
    if info.get("islink"):
        with contextlib.suppress(OSError):
            info = {**fs.info(info["name"]), "name": info["name"]}
    try:
        size, state = state_of(fs, info["name"])
    except OSError:
        return {**info, "type": "file", "size": 0}
    return {**info, "size": size, "state": state}


def _pages(fs: AbstractFileSystem, root: str) -> Iterator[list[dict[str, Any]]]:
    """All objects of a bucket below a prefix, in the order of their keys. Each request lists a thousand."""
    bucket, prefix, _ = fs.split_path(root)
    asked = {"Bucket": bucket, "Prefix": f"{prefix}/" if prefix else ""}
    while True:
        answer = fs.call_s3("list_objects_v2", **asked)
        yield [
            {"name": f"{bucket}/{one['Key']}", "size": one["Size"], "ETag": one["ETag"], "type": "file"}
            for one in answer.get("Contents", [])
            # Some programs keep an empty folder as an object whose name ends with a slash.
            if not one["Key"].endswith("/")
        ]
        if not answer.get("IsTruncated"):
            return
        asked["ContinuationToken"] = answer["NextContinuationToken"]


def inventory(path: str, options: dict[str, Any]) -> Iterator[pa.Table]:
    """The objects of lists in Parquet or CSV: `input`, `size` and perhaps `etag`, or S3's `bucket`, `key`, `size` and `e_tag`.

    `path` may be a pattern, since the lists of a large bucket are many files.
    """
    import pyarrow.csv
    import pyarrow.parquet

    fs, root = url_to_fs(path, **options)
    for name in sorted(fs.glob(root)) if _is_pattern(fs, root) else [root]:
        with fs.open(name, "rb") as file:
            batches = (
                pyarrow.csv.open_csv(file)
                if name.endswith((".csv", ".csv.gz"))
                else pyarrow.parquet.ParquetFile(file, pre_buffer=False).iter_batches()
            )
            for batch in batches:
                yield _objects(pa.Table.from_batches([batch]), name)


def _objects(given: pa.Table, name: str) -> pa.Table:
    """A part of an inventory as a listing."""
    columns = {column.lower(): given[column] for column in given.column_names}
    if "is_latest" in columns:
        alive = pc.and_(columns["is_latest"], pc.invert(columns.get("is_delete_marker", pa.scalar(False))))
        columns = {column: values.filter(alive) for column, values in columns.items()}
    if "bucket" in columns and "key" in columns:
        columns["input"] = pc.binary_join_element_wise("s3://", columns["bucket"], "/", columns["key"], "")
    missing = sorted({"input", "size"} - columns.keys())
    if missing:
        raise ValueError(
            f"the inventory {name} has no column {missing[0]}: it needs input and size, or bucket, key and size"
        )
    if columns["input"].null_count or columns["size"].null_count:
        raise ValueError(f"the inventory {name} has an object without a name or a size")
    if (pc.min(columns["size"].cast(pa.int64())).as_py() or 0) < 0:
        raise ValueError(f"the inventory {name} has an object with a negative size")
    etags = columns.get("etag", columns.get("e_tag", pa.nulls(len(columns["input"]), pa.string())))
    etags = pc.utf8_trim(pc.fill_null(etags.cast(pa.string()), ""), characters='"')
    return pa.table([columns["input"].cast(pa.string()), columns["size"].cast(pa.int64()), etags], schema=_OBJECTS)


def waves(objects: Iterable[pa.Table], naming: Naming, without: str = "") -> Iterator[pa.Table]:
    """The objects in waves. Each wave has a part of the plan and a part of the manifest. Objects below `without` are left out."""
    if without:
        objects = (page.filter(pc.invert(pc.starts_with(page["input"], without))) for page in objects)
    for wave in _cut(objects, WAVE_FILES, WAVE_BYTES):
        if pc.count_distinct(wave["input"]).as_py() != wave.num_rows:
            named = max(pc.value_counts(wave["input"]).to_pylist(), key=lambda one: int(one["counts"]))
            raise ValueError(f"the inventory has {named['values']} {named['counts']} times")
        yield wave.append_column(ENTRIES.field("output"), naming.outputs(wave["input"].combine_chunks()))


def tasks(entries: pa.Table, wave: int, objects: int = 0, length: int = 0) -> Iterator[pa.RecordBatch]:
    """The tasks of a wave. A task has many small objects or one large one; `objects` and `length` are the totals of the plan."""
    most_files = max(TASK_FILES, min(objects // _TASKS, _MOST_FILES))
    most_bytes = max(TASK_BYTES, min(length // _TASKS, _MOST_BYTES))
    for task in _cut([entries], most_files, most_bytes):
        numbers = pa.array([wave] * task.num_rows, TASK.field("wave").type)
        yield task.append_column(TASK.field("wave"), numbers).combine_chunks().to_batches()[0]


def halves(task: pa.RecordBatch) -> tuple[pa.RecordBatch, pa.RecordBatch]:
    """Halves a task of two objects or more, to find the object that ends its worker."""
    middle = task.num_rows // 2
    return task.slice(0, middle), task.slice(middle)


def _cut(tables: Iterable[pa.Table], most_files: int, most_bytes: int) -> Iterator[pa.Table]:
    """Cuts the rows of all tables into pieces of as many rows as fit. A row that is larger than a piece gets its own piece."""
    held: list[pa.Table] = []
    files = length = 0
    for table in tables:
        sums = pc.cumulative_sum(table["size"])
        at, before = 0, 0
        while at < table.num_rows:
            last = min(at + most_files - files, table.num_rows)
            end = bisect_right(sums, before + most_bytes - length, at, last, key=lambda one: one.as_py())
            if end == at and not held:
                end += 1
            if end > at:
                held.append(table.slice(at, end - at))
                files += end - at
                length += sums[end - 1].as_py() - before
                at, before = end, sums[end - 1].as_py()
            if at < table.num_rows or files == most_files:
                yield pa.concat_tables(held)
                held, files, length = [], 0, 0
    if held:
        yield pa.concat_tables(held)


def canonical(path: str, options: dict[str, Any]) -> str:
    """The canonical URL of a path or a URL, as in listings."""
    url = url_of(path)
    if "::" in url:
        return url
    fs, stripped = url_to_fs(url, **options)
    return str(fs.unstrip_protocol(os.path.normpath(stripped) if is_local(fs) else stripped))


def url_of(path: str) -> str:
    """The URL of a path or a URL. It means the same on every worker."""
    if not path:
        raise ValueError("a source, a target and a manifest need names, and this name is empty")
    if "://" in path and urlsplit(path).password:
        raise ValueError(
            "the manifest would keep the password of this URL: give it in the options of the file system, or in its environment"
        )
    return path if "://" in path else f"file://{os.path.abspath(path)}"
