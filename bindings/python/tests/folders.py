"""Folders on which tests run jobs: filled, listed, and read afterwards."""

import random
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from sealstone import jobs
from sealstone.jobs._book import Book
from sealstone.jobs._entry import Job


def filled(folder: Path, count: int, seed: int) -> None:
    """Makes a folder with objects of some kilobytes, and a list of them beside it."""
    chosen = random.Random(seed)
    folder.mkdir()
    for i in range(count):
        (folder / f"f{i:02}").write_bytes(chosen.randbytes(chosen.randrange(1, 40_000)))
    list_of(folder)


def list_of(folder: Path) -> None:
    """Lists a folder and those below, so that a job takes a FIFO there for the file that it stands for."""
    files = sorted(path for path in folder.rglob("*") if not path.is_dir())
    listing = {"input": [f"file://{path}" for path in files], "size": [path.stat().st_size for path in files]}
    pq.write_table(pa.table(listing), folder.parent / "list.parquet")


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def at_work(work: Callable[[], jobs.Report]) -> "Future[jobs.Report]":
    """A job beside the test."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(work)
    finally:
        pool.shutdown(wait=False)


def begun(job: Job) -> Job:
    """A job whose folder is there, as its driver makes it."""
    book = Book(job.folder, job.folder_options)
    try:
        return book.begin(job, {})
    finally:
        book.close()
