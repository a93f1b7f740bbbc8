"""The driver: it plans a job, gives the tasks to an engine, and writes the manifest."""

import errno
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from fsspec.core import url_to_fs

from .. import _options, errors, providers
from .._options import Recipients
from . import _plan, _task, _wire
from ._book import Book
from ._earlier import Earlier, unknown
from ._engines import Engine, OnExecutor, Processes
from ._entry import Job, Operation, Row
from ._head import is_replaced
from ._sweep import swept
from ._wave import Waves, counts


@dataclass
class Report:
    """The outcome of a job, counted over its manifest."""

    id: str
    """The job's id. Outputs have it as metadata, if their store has metadata."""
    manifest: str
    done: int = 0
    """Objects that a worker reported."""
    adopted: int = 0
    """Objects whose output was there already, because an attempt of this job wrote it and its report was lost."""
    skipped: int = 0
    """Objects that needed no work, such as objects that are sealed already."""
    failed: int = 0
    bytes: int = 0
    """Bytes of the objects that are done or adopted."""
    unhashed: int = 0
    """Done or adopted objects whose payload has no hash in the manifest: jobs that only read or replace heads need not read payloads."""
    seconds: float = 0.0
    """The time of this run."""
    planned: int = 0
    """All objects of the plan."""
    notes: list[str] = field(default_factory=list)
    _book: Book | None = field(default=None, repr=False, compare=False)

    @property
    def total(self) -> int:
        """Objects with an outcome: at the end, all objects of the plan."""
        return self.done + self.adopted + self.skipped + self.failed

    @property
    def exit_status(self) -> int:
        """0, or 5 if an object has failed."""
        return 5 if self.failed else 0

    def rows(self) -> Iterator[Row]:
        """All rows of the manifest, in the order of the plan, a wave at a time."""
        return self._rows_of(lambda rows: rows)

    def failures(self) -> Iterator[Row]:
        """The rows of failed objects."""
        return self._rows_of(lambda rows: rows.filter(pc.equal(rows["state"], "failed")))

    def _rows_of(self, chosen: Callable[[pa.Table], pa.Table]) -> Iterator[Row]:
        assert self._book is not None
        for wave, run in sorted(self._book.runs().items()):
            for row in chosen(self._book.rows(wave, run)).to_pylist():
                yield Row(**row)

    def _count(self, rows: Iterable[pa.Table | pa.RecordBatch]) -> None:
        for name, count in counts(rows).items():
            setattr(self, name, getattr(self, name) + count)


class _Here:
    """Runs all tasks in this process: the engine for `None`."""

    def run(self, job: Job, tasks: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for task in tasks:
            yield _wire.run(_task.run, job, task)


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
    skip_existing: bool = False,
    **settings: Any,
) -> Report:
    """Encrypts every object below `source` into an object below `target`, and appends `suffix` to its name.

    It skips objects that are sealed already, and with `skip_existing` also objects that have an output. So a new job with a new manifest
    encrypts the objects that came after the last job. `settings` are those of `verify`.
    """
    options = {"suite": suite, "profile": profile, "allow_mixed": allow_mixed, "threads": 1}
    return _run(
        "encrypt",
        source,
        target,
        manifest,
        recipients,
        "",
        options,
        {"add": suffix},
        settings,
        suffix=suffix,
        skip_existing=skip_existing,
    )


def decrypt(
    source: str,
    target: str,
    *,
    identities: str,
    manifest: str,
    suffix: str = ".seal",
    profile: str | None = None,
    earlier: str | None = None,
    **settings: Any,
) -> Report:
    """Decrypts every sealed object below `source` into an object below `target`, and removes `suffix` from its name.

    `identities` says where workers find the keys: `file:PATH`, `env:NAME`, `exec:PROGRAM` or `module:function`. An output appears when
    all of it is authentic. Objects that are no sealed files are skipped. But if such an object has the suffix, it is damaged, and fails.
    """
    return _run(
        "decrypt",
        source,
        target,
        manifest,
        (),
        identities,
        {"profile": profile},
        {"remove": suffix},
        settings,
        suffix=suffix,
        earlier=earlier,
    )


def verify(
    source: str,
    *,
    identities: str,
    manifest: str,
    profile: str | None = None,
    earlier: str | None = None,
    **settings: Any,
) -> Report:
    """Decrypts every object below `source` and writes nothing. If none fails, each object is sealed and complete.

    Whoever can open an object can put another payload under its key, and that object would verify, too. To detect this, give `earlier`:
    the manifest of a job that made or verified the objects. An object then fails with `payload_changed` if its payload differs from that
    manifest, and an object that no longer exists fails, too. `decrypt` does the same; `rewrap` only finds changed payloads.

    To verify again, name another manifest: a manifest whose job has ended is an error.

    Settings of all jobs:

    - `engine`: `processes`, the default; a `SparkSession`; the module `ray`; a `concurrent.futures.Executor`, such as Dask's; an
      `Engine`; or `None` for this process alone.
    - `workers`: the number of processes, by default one for each core; with Spark, how many tasks the cluster runs at once.
    - `inventory`: a list of the objects in place of a listing, in Parquet or CSV with the columns `input`, `size` and optionally `etag`, or
      those of S3 Inventory. It may be a pattern: the inventory of a large bucket is many files.
    - `source_options`, `manifest_options`, and with a target `target_options`: options of their file systems. Workers get them, so put
      the credentials of a store into the environment of the workers, or into their role.
    - `on_progress`: a function that is called with the `Report` after each task.
    """
    return _run("verify", source, "", manifest, (), identities, {"profile": profile}, {}, settings, earlier=earlier)


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
    suffix: str = ".seal",
    earlier: str | None = None,
    **settings: Any,
) -> Report:
    """Rewraps every sealed object below `source` for other recipients: in place, or as an object below `target`.

    Objects that are no sealed files are skipped. But if such an object's name has `suffix`, it is damaged, and fails.

    In place, only the head changes:

    - A local file is replaced atomically. A file with other names (hard links) fails.
    - S3 copies the payload itself, and completes the object only if it is still the one that was listed. Its metadata and tags stay. The job
      does not read payloads of over 10 MiB, so the manifest has their hashes only if the manifest `earlier` has them.
    - Other stores need a `target`, to which the job copies the payload.

    It revokes nothing: whoever could open an object may have kept the key of its content, and copies with the old header may still exist.
    """
    options = {"replace": replace, "profile": profile, "allow_mixed": allow_mixed}
    if target is None:
        fs, _ = url_to_fs(source, **(settings.get("source_options") or {}))
        if not is_replaced(fs):
            raise ValueError("this store cannot replace the head of an object in place: name a target")
    report = _run(
        "rewrap",
        source,
        target or "",
        manifest,
        recipients,
        identities,
        options,
        {"is_in_place": target is None},
        settings,
        suffix=suffix,
        earlier=earlier,
    )
    report.notes.append(
        "Nothing is revoked: whoever could open an object keeps its key, and versions of a bucket keep old headers."
    )
    return report


def inspect(source: str, *, manifest: str, suffix: str = ".seal", **settings: Any) -> Report:
    """Writes what the headers say of every sealed object below `source` into the manifest: suite, lengths, kinds of recipients.

    It needs no key, and the headers are not authenticated. Objects that are no sealed files are skipped, but fail if their name has `suffix`.
    """
    return _run("inspect", source, "", manifest, (), "", {}, {}, settings, suffix=suffix)


def _run(
    operation: Operation,
    source: str,
    target: str,
    manifest: str,
    recipients: Recipients,
    identities: str,
    options: dict[str, Any],
    naming: dict[str, Any],
    settings: dict[str, Any],
    *,
    suffix: str = ".seal",
    skip_existing: bool = False,
    earlier: str | None = None,
) -> Report:
    inventory, on_progress = settings.pop("inventory", None), settings.pop("on_progress", None)
    source_options = dict(settings.pop("source_options", None) or {})
    target_options = dict(settings.pop("target_options", None) or {})
    manifest_options = dict(settings.pop("manifest_options", None) or {})
    engine = _engine(settings.pop("engine", "processes"), settings.pop("workers", None))
    if settings:
        raise TypeError(f"the job {operation} has no setting {next(iter(settings))!r}")
    if target_options and not target:
        raise TypeError("`target_options` are for a target, and this job has none")
    if operation in ("decrypt", "verify", "rewrap"):
        providers.check(identities)
    source, target = _plan.canonical(source, source_options), _plan.canonical(target, target_options) if target else ""
    if inventory:
        _plan.url_of(inventory)
    texts = tuple(str(one) for one in _options.recipients_of(recipients))
    if operation in ("encrypt", "rewrap"):
        # A wrong recipient is an error before there is a plan.
        _options.encryptor(texts, allow_mixed=options["allow_mixed"], profile=options["profile"]).encrypted_length(0)
    begun = time.monotonic()
    root = _plan.root_of(source, source_options)
    manifest_url = _plan.canonical(manifest, manifest_options)
    earlier_url = _plan.canonical(earlier, manifest_options) if earlier else ""
    job = Job(
        uuid.uuid4().hex,
        operation,
        time.time(),
        texts,
        identities,
        options,
        suffix,
        skip_existing,
        root,
        target,
        source_options,
        target_options,
        manifest_url,
        manifest_options,
    )
    book = Book(manifest_url, manifest_options)
    before = Earlier(Book(earlier_url, manifest_options), root) if earlier else None
    # Missing objects are only known for a whole folder or prefix.
    is_all = operation in ("verify", "decrypt") and not inventory and not _plan.is_pattern(source, source_options)
    try:
        places = {"source_url": source, "naming": str(naming), "inventory": inventory or "", "earlier": earlier_url}
        job = book.begin(job, places)
        if not book.is_planned:
            objects = _plan.inventory(inventory, source_options) if inventory else _plan.listed(source, source_options)
            # The job's own folder may be below its source.
            without = f"{manifest_url.rstrip('/')}/"
            names = _plan.Naming(root, target, **naming)
            if before is None:
                book.plan(unknown(_plan.waves(objects, names, without)))
            else:
                missing = before.missing() if is_all else iter(())
                parts = (_plan.waves(some, names, without) for some in (objects, missing))
                book.plan(chain.from_iterable(map(before.added, parts)), before.undone)
        planned = book.planned()
        if not planned.objects:
            raise FileNotFoundError(errno.ENOENT, "there is no object below the source", source)
        report = Report(job.id, manifest, planned=planned.objects, _book=book)
        if earlier and not is_all and operation in ("verify", "decrypt"):
            report.notes.append(
                "Missing objects were not looked for: verify or decrypt a whole folder or prefix for that."
            )
        if planned.undone:
            report.notes.append(f"The earlier job did not finish {planned.undone} of its objects.")
        if earlier and planned.unknown:
            report.notes.append(
                f"The earlier manifest has no payload hash of {planned.unknown} objects: they were not compared."
            )
        _work(job, book, engine, report, on_progress, begun)
    finally:
        book.close()
    return report


def _work(
    job: Job, book: Book, engine: Engine, report: Report, on_progress: Callable[[Report], object] | None, begun: float
) -> None:
    """Gives the remaining tasks to the engine, and writes the manifest."""
    waves = Waves(book, job.id)
    is_ended = True
    try:
        for done in engine.run(job, waves.tasks()):
            is_ended = False
            for rows in waves.add(done):
                _sweep(job, rows, report)
            report._count([*waves.kept, done])
            waves.kept.clear()
            report.seconds = time.monotonic() - begun
            if on_progress is not None:
                on_progress(report)
    finally:
        waves.close()
    report._count(waves.kept)
    if report.total != report.planned:
        raise RuntimeError(
            f"the engine has reported nothing about {report.planned - report.total} objects; a run with the same manifest goes on"
        )
    if is_ended:
        if job.operation in ("verify", "inspect"):
            raise errors.OutputExists(
                "this job had already ended, and has checked nothing now: to check again, name another manifest"
            )
        report.notes.append(
            "This job had already ended, and has checked nothing now. For newer objects, run a job with another manifest."
        )
    if report.unhashed and job.operation == "rewrap":
        report.notes.append(
            f"{report.unhashed} payloads have no hash in this manifest: they were not read, and no earlier manifest has it (`earlier`)."
        )
    if report.skipped and job.operation == "encrypt":
        report.notes.append(
            f"{report.skipped} skipped: they are sealed already, or their output exists; the manifest says which."
        )
    if report.skipped and job.operation in ("decrypt", "rewrap"):
        report.notes.append(
            f"{report.skipped} skipped: they are not sealed files; a damaged sealed file is noticed only by the suffix of its name."
        )
    report.seconds = time.monotonic() - begun


def _sweep(job: Job, rows: pa.Table, report: Report) -> None:
    """Removes unfinished uploads that killed workers have left, for the published outputs of a wave."""
    written = pc.is_in(rows["state"], value_set=pa.array(["done", "adopted"]))
    is_other = pc.and_(pc.not_equal(rows["output"], ""), pc.not_equal(rows["output"], rows["input"]))
    published = rows["output"].filter(pc.and_(written, is_other)).to_pylist()
    if not published:
        return
    try:
        swept(job, published)
    except Exception as error:
        # A role that may write objects may lack the right to list uploads. The job's work is done in any case.
        note = f"Unfinished uploads of killed workers, if any, are still there: {type(error).__name__}: {error}"
        if note not in report.notes:
            report.notes.append(note)


def _engine(engine: Any, workers: int | None) -> Engine:
    if workers is not None and workers < 1:
        raise ValueError(f"a job has at least one worker, and not {workers}")
    if isinstance(engine, str) and engine == "processes":
        return Processes(workers)
    if type(engine).__module__.startswith("pyspark.") and hasattr(engine, "createDataFrame"):
        from ._spark import Spark

        return Spark(engine, workers)
    if workers is not None:
        raise ValueError("`workers` is a setting of processes and of Spark: this engine has its own workers")
    if engine is None:
        return _Here()
    if isinstance(engine, Executor):
        return OnExecutor(engine)
    if getattr(engine, "__name__", "") == "ray":
        from ._ray import Ray

        return Ray()
    if hasattr(engine, "run"):
        found: Engine = engine
        return found
    raise ValueError(
        f"there is no engine {engine!r}: processes, a SparkSession, the module ray, an Executor or an Engine"
    )
