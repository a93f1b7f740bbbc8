"""The driver: it plans, has an engine work, and keeps the manifest."""

import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from fsspec.core import url_to_fs

from .. import _options, providers
from .._options import Recipients
from . import _plan, _task
from ._book import Book
from ._engines import Engine, OnExecutor, Processes
from ._entry import Entry, Job, Operation, Row
from ._head import is_replaced
from ._sweep import swept


@dataclass
class Report:
    """What became of a job's objects, counted over the manifest."""

    id: str
    """The job's id, which its outputs have as metadata where their store has metadata."""
    manifest: str
    done: int = 0
    """Objects that a worker reported."""
    adopted: int = 0
    """Objects whose output was there already, written by an attempt whose report was lost."""
    skipped: int = 0
    """Objects that there was nothing to do with, such as those that are sealed already."""
    failed: int = 0
    bytes: int = 0
    """Bytes of the objects that are done or adopted."""
    seconds: float = 0.0
    """Of this run."""
    notes: list[str] = field(default_factory=list)
    _book: Book | None = field(default=None, repr=False, compare=False)

    @property
    def total(self) -> int:
        """All objects of the plan."""
        return self.done + self.adopted + self.skipped + self.failed

    @property
    def exit_status(self) -> int:
        """0, or 5 where an object has failed."""
        return 5 if self.failed else 0

    def rows(self) -> Iterator[Row]:
        """All rows of the manifest, in the order of the plan, a wave at a time."""
        assert self._book is not None
        for wave, run in sorted(self._book.runs().items()):
            yield from self._book.rows(wave, run)

    def failures(self) -> Iterator[Row]:
        """The rows of what has failed."""
        return (row for row in self.rows() if row.state == "failed")

    def _count(self, rows: Iterable[Row]) -> None:
        for row in rows:
            setattr(self, row.state, getattr(self, row.state) + 1)
            if row.state in ("done", "adopted"):
                self.bytes += row.size


class _Here:
    """This process alone: the engine for those who say `None`."""

    def run(self, job: Job, tasks: Iterable[list[Entry]]) -> Iterator[list[Row]]:
        for task in tasks:
            yield _task.run(job, task)


def encrypt(
    source: str,
    target: str,
    *,
    recipients: Recipients,
    manifest: str,
    suite: str | None = None,
    profile: str | None = None,
    allow_mixed: bool = False,
    suffix: str = ".seal",
    **settings: Any,
) -> Report:
    """Encrypts every object below `source` into one below `target`, whose name has `suffix` behind it.

    What is sealed already is skipped. `settings` are those of `verify`.
    """
    options = {"suite": suite, "profile": profile, "allow_mixed": allow_mixed, "threads": 1}
    return _run("encrypt", source, target, manifest, recipients, "", options, {"add": suffix}, settings)


def decrypt(
    source: str,
    target: str,
    *,
    identities: str,
    manifest: str,
    suffix: str = ".seal",
    profile: str | None = None,
    **settings: Any,
) -> Report:
    """Decrypts every sealed object below `source` into one below `target`, whose name is without `suffix`.

    `identities` says where workers find the keys: `file:PATH`, `env:NAME`, `exec:PROGRAM` or `module:function`. An output appears when
    all of it is authentic.
    """
    return _run("decrypt", source, target, manifest, (), identities, {"profile": profile}, {"remove": suffix}, settings)


def verify(source: str, *, identities: str, manifest: str, profile: str | None = None, **settings: Any) -> Report:
    """Decrypts every sealed object below `source` and writes nothing: without a failure a backup is whole.

    Settings of all jobs:

    - `engine`: `processes`, the default; a `SparkSession`; a `concurrent.futures.Executor`, such as Dask's; an `Engine`; or `None` for
      this process alone.
    - `workers`: how many processes there are; by default one a core.
    - `inventory`: a list of the objects, in Parquet or CSV with the columns `input`, `size` and perhaps `etag`, in place of a listing.
    - `source_options`, `target_options`, `manifest_options`: options of their file systems. Workers get the first two, so keys of a store
      belong in the environment of the workers, or in their role.
    - `on_progress`: is called with the `Report` after each task.
    """
    return _run("verify", source, "", manifest, (), identities, {"profile": profile}, {}, settings)


def rewrap(
    source: str,
    target: str | None = None,
    *,
    identities: str,
    recipients: Recipients,
    manifest: str,
    replace: bool = False,
    profile: str | None = None,
    allow_mixed: bool = False,
    **settings: Any,
) -> Report:
    """Gives every sealed object below `source` to other recipients: in its place, or as an object below `target`.

    In place only its head is new. A local file is replaced at once. S3 copies the payload itself, and completes the object only if it is
    still the one that was listed; its metadata and tags stay. Other stores need a `target`, through which the payload is copied.

    It revokes nothing: who could open an object keeps the key of its content, and what has the old header may still be there.
    """
    options = {"replace": replace, "profile": profile, "allow_mixed": allow_mixed}
    if target is None:
        fs, _ = url_to_fs(source, **(settings.get("source_options") or {}))
        if not is_replaced(fs):
            raise ValueError("this store gives no object another head in its place: name a target")
    report = _run("rewrap", source, target or source, manifest, recipients, identities, options, {}, settings)
    report.notes.append(
        "Nothing is revoked: whoever could open an object keeps its key, and versions of a bucket keep old headers."
    )
    return report


def inspect(source: str, *, manifest: str, **settings: Any) -> Report:
    """Writes what the headers say of every sealed object below `source` into the manifest: suite, lengths, kinds of recipients.

    None of it is authenticated; no key is needed.
    """
    return _run("inspect", source, "", manifest, (), "", {}, {}, settings)


def _run(
    operation: Operation,
    source: str,
    target: str,
    manifest: str,
    recipients: Recipients,
    identities: str,
    options: dict[str, Any],
    naming: dict[str, str],
    settings: dict[str, Any],
) -> Report:
    inventory, on_progress = settings.pop("inventory", None), settings.pop("on_progress", None)
    source_options = dict(settings.pop("source_options", None) or {})
    target_options = dict(settings.pop("target_options", None) or {})
    manifest_options = dict(settings.pop("manifest_options", None) or {})
    engine = _engine(settings.pop("engine", "processes"), settings.pop("workers", None))
    if settings:
        raise TypeError(f"no job has the setting {next(iter(settings))!r}")
    if not isinstance(identities, str):
        raise TypeError("a job names its identities: file:PATH, env:NAME, exec:PROGRAM or module:function")
    if operation in ("decrypt", "verify", "rewrap"):
        providers.check(identities)
    source, target = _plan.url_of(source), _plan.url_of(target) if target else ""
    texts = tuple(str(one) for one in _options.recipients_of(recipients))
    if operation in ("encrypt", "rewrap"):
        # What is wrong with the recipients is said before there is a plan.
        _options.encryptor(texts, allow_mixed=options["allow_mixed"], profile=options["profile"]).encrypted_length(0)
    begun = time.monotonic()
    job = Job(uuid.uuid4().hex, operation, time.time(), texts, identities, "", options, source_options, target_options)
    book = Book(_plan.url_of(manifest), manifest_options)
    job = book.begin(job, {"input": source, "output": target, "naming": str(naming), "inventory": inventory or ""})
    if not book.is_planned:
        objects = _plan.inventory(inventory, source_options) if inventory else _plan.listed(source, source_options)
        book.plan(_plan.waves(objects, _plan.Naming(_plan.root_of(source, source_options), target, **naming)))
    report = Report(job.id, manifest, _book=book)
    runs = book.runs()
    for wave in book.waves():
        _wave(wave, runs.get(wave, 0), job, book, engine, report, on_progress, begun)
    report.seconds = time.monotonic() - begun
    return report


def _wave(
    wave: int,
    run: int,
    job: Job,
    book: Book,
    engine: Engine,
    report: Report,
    on_progress: Callable[[Report], object] | None,
    begun: float,
) -> None:
    """Does what of a wave was not done yet, and keeps its part of the manifest."""
    rows = {row.input: row for row in book.rows(wave, run)} if run else {}
    entries = book.entries(wave)
    left = [entry for entry in entries if entry.input not in rows or rows[entry.input].state == "failed"]
    report._count(row for row in rows.values() if row.state != "failed")
    if not left:
        return
    for done in engine.run(job, _plan.tasks(left)):
        rows.update((row.input, row) for row in done)
        report._count(done)
        report.seconds = time.monotonic() - begun
        if on_progress is not None:
            on_progress(report)
    missing = [entry.input for entry in entries if entry.input not in rows]
    assert not missing, f"an engine lost {len(missing)} objects, such as {missing[0]}"
    _sweep(job, rows.values(), report)
    book.keep(wave, run + 1, [rows[entry.input] for entry in entries])


def _sweep(job: Job, rows: Iterable[Row], report: Report) -> None:
    """Removes what killed workers have left of outputs that are there."""
    published = [row.output for row in rows if row.state in ("done", "adopted") and row.output not in ("", row.input)]
    if not published:
        return
    try:
        swept(job.target, published, job.begun)
    except Exception as error:
        # Whoever may write objects may not always list uploads, and the work is done.
        note = f"Unfinished uploads of killed workers, if any, are still there: {type(error).__name__}: {error}"
        if note not in report.notes:
            report.notes.append(note)


def _engine(engine: Any, workers: int | None) -> Engine:
    if engine is None:
        return _Here()
    if engine == "processes":
        return Processes(workers)
    if isinstance(engine, Executor):
        return OnExecutor(engine)
    if type(engine).__module__.startswith("pyspark.") and hasattr(engine, "createDataFrame"):
        from ._spark import Spark

        return Spark(engine)
    if hasattr(engine, "run"):
        found: Engine = engine
        return found
    raise ValueError(f"there is no engine {engine!r}: processes, a SparkSession, an Executor or an Engine")
