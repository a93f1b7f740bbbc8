"""What a job is to do: the objects of a source, in waves and tasks. None of it grows with their number."""

import errno
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import fsspec.asyn
from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from ._entry import Entry
from ._store import etag_of

WAVE_FILES = 50_000
WAVE_BYTES = 2 << 40
TASK_FILES = 1_000
TASK_BYTES = 256 << 20


class Naming:
    """Which output an input has."""

    def __init__(self, source: str, target: str, add: str = "", remove: str = "") -> None:
        self._source, self._target = source.rstrip("/"), target.rstrip("/")
        self._add, self._remove = add, remove

    def output(self, url: str) -> str:
        if not self._target:
            return ""
        if self._target == self._source:
            return url
        name = url.removeprefix(self._source).lstrip("/") or url.rsplit("/", 1)[-1]
        return f"{self._target}/{name.removesuffix(self._remove) if self._remove else name}{self._add}"


def listed(source: str, options: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """The objects below a URL: of each its URL, its length, and what changes with its content. A URL may be a pattern (`*`)."""
    fs, root = url_to_fs(source, **options)
    if "*" in root or "?" in root or "[" in root:
        for path, info in sorted(fs.glob(root, detail=True).items()):
            if info["type"] == "file":
                yield fs.unstrip_protocol(path), info["size"], etag_of(info)
        return
    if fs.isfile(root):
        info = fs.info(root)
        yield fs.unstrip_protocol(root), info["size"], etag_of(info)
        return
    if not fs.exists(root):
        # A job on nothing would say that all is well.
        raise FileNotFoundError(errno.ENOENT, "there is nothing below the source", source)
    for info in _infos(fs, root):
        yield fs.unstrip_protocol(info["name"]), info["size"], etag_of(info)


def root_of(source: str, options: dict[str, Any]) -> str:
    """What the URLs of a source's objects begin with, and the names of outputs do not; of a pattern, its folders without one."""
    fs, root = url_to_fs(source, **options)
    while "*" in root or "?" in root or "[" in root:
        root = fs._parent(root)
    return str(fs.unstrip_protocol(root))


def _infos(fs: AbstractFileSystem, root: str) -> Iterator[dict[str, Any]]:
    """Every file below a folder, a page or a folder at a time."""
    if hasattr(fs, "_iterdir") and hasattr(fs, "split_path"):
        # A store of objects: pages of a thousand, in the order of their keys.
        bucket, prefix, _ = fs.split_path(root)
        pages = fs._iterdir(bucket, delimiter="", prefix=f"{prefix}/" if prefix else "")
        while True:
            try:
                info = fsspec.asyn.sync(fs.loop, pages.__anext__)
            except StopAsyncIteration:
                return
            if info["type"] == "file" and not info["name"].endswith("/"):
                yield info
        return
    for _, _, files in fs.walk(root, detail=True):
        for _, info in sorted(files.items()):
            if info["type"] == "file":
                yield info


def inventory(path: str, options: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """The objects of a list, which is Parquet or CSV with the columns `input`, `size` and perhaps `etag`."""
    import pyarrow.csv
    import pyarrow.parquet

    fs, name = url_to_fs(path, **options)
    with fs.open(name, "rb") as file:
        if name.endswith(".csv"):
            batches: Iterable[Any] = pyarrow.csv.open_csv(file)
        else:
            batches = pyarrow.parquet.ParquetFile(file).iter_batches()
        for batch in batches:
            columns = batch.to_pydict()
            etags = columns.get("etag") or [""] * batch.num_rows
            for url, size, etag in zip(columns["input"], columns["size"], etags, strict=True):
                yield url, int(size), str(etag or "")


def waves(objects: Iterable[tuple[str, int, str]], naming: Naming) -> Iterator[list[Entry]]:
    """The objects in waves, each of which has a part of the plan and a part of the manifest."""
    wave: list[Entry] = []
    length = 0
    output = naming.output
    for url, size, etag in objects:
        wave.append(Entry(url, size, etag, output(url)))
        length += size
        if len(wave) >= WAVE_FILES or length >= WAVE_BYTES:
            yield wave
            wave, length = [], 0
    if wave:
        yield wave


def tasks(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The tasks of a wave: small objects together, a large one alone."""
    task: list[Entry] = []
    length = 0
    for entry in entries:
        if task and length + entry.size > TASK_BYTES:
            yield task
            task, length = [], 0
        task.append(entry)
        length += entry.size
        if len(task) >= TASK_FILES:
            yield task
            task, length = [], 0
    if task:
        yield task


def halves(task: list[Entry]) -> Iterator[list[Entry]]:
    """A task in two, to find the object that ends workers."""
    middle = len(task) // 2
    yield from (list(islice(task, middle)), task[middle:])


def url_of(path: str) -> str:
    """A path or a URL as a URL, which is the same on every worker."""
    return path if "://" in path else f"file://{os.path.abspath(path)}"
