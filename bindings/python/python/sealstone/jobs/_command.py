"""The command `sealstone-jobs`."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from .. import errors
from . import _driver
from ._driver import Report

_EPILOG = """\
examples:
  sealstone-jobs encrypt s3://b/raw s3://b/sealed -r age1pq1... --manifest s3://b/jobs/1
  sealstone-jobs verify s3://b/sealed --identities file:/etc/keys/id.txt --manifest jobs/2
  sealstone-jobs decrypt sealed plain --identities env:BACKUP_KEY --manifest jobs/3
  sealstone-jobs rewrap s3://b/sealed --identities file:old.txt -R new.pub --replace --manifest jobs/4
  sealstone-jobs verify s3://b/sealed --identities file:id.txt --manifest s3://b/jobs/5 --engine spark --master 'local[2,4]'

Run again with the same manifest, a job goes on where it ended. The exit status is 0 when every object was done, 5 when some have
failed, 1 for a failure of the system, such as a full disk, and 2 for wrong use.
"""


def main(arguments: list[str] | None = None) -> int:
    """Runs a job with these arguments; returns the exit status."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.master and given.engine == "processes":
        parser.error("--master is for --engine spark or ray")
    began = time.monotonic()
    try:
        settings = _settings(given)
        settings["engine"] = _engine(settings.pop("engine"), settings.pop("master", None))
        try:
            report = _work(given)(**settings)
        finally:
            if sys.stderr.isatty():
                _show_line("")
    except ImportError as error:
        extra = {"pyspark": "spark", "ray": "ray"}.get(error.name or "")
        hint = f"; pip install 'sealstone[{extra}]'" if extra else ""
        print(f"sealstone-jobs: {_printable(str(error))}{hint}", file=sys.stderr)
        return 2
    except (errors.Error, ValueError, TypeError, OSError) as error:
        code = f"{error.code}: " if isinstance(error, errors.Error) else ""
        print(f"sealstone-jobs: {code}{_printable(str(error))}", file=sys.stderr)
        return 1 if isinstance(error, OSError) else 2
    except KeyboardInterrupt:
        print("sealstone-jobs: ended; run it again with the same manifest to go on", file=sys.stderr)
        return 130
    except AssertionError:
        raise
    except Exception as error:
        # A provider or an engine may raise any exception. In Spark's message about a worker, the last line names the error.
        lines = [line for line in str(error).splitlines() if line.strip()] or ["it says nothing"]
        is_worker = type(error).__name__ == "PythonException"
        said = lines[-1] if is_worker else f"{type(error).__name__}: {lines[0]}"
        print(f"sealstone-jobs: {given.engine}: {_printable(said)}", file=sys.stderr)
        return 1
    _show(report, time.monotonic() - began, given.json)
    return report.exit_status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sealstone-jobs",
        description="Encrypts, decrypts, verifies, rewraps and inspects all objects below a path or a URL.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    operations = parser.add_subparsers(dest="operation", required=True, metavar="OPERATION")
    for name, help in (
        ("encrypt", "encrypts every object into one of the target"),
        ("decrypt", "decrypts every sealed object into one of the target"),
        ("verify", "decrypts every object and writes nothing, to check that each is sealed and complete"),
        ("rewrap", "gives every sealed object to other recipients, in place or as an object of the target"),
        ("inspect", "writes what the headers say into the manifest"),
    ):
        one = operations.add_parser(
            name, help=help, description=help, epilog=_EPILOG, formatter_class=parser.formatter_class
        )
        one.add_argument(
            "source", metavar="SOURCE", help="a folder, a prefix, an object or a pattern: a path or a URL of fsspec"
        )
        if name in ("encrypt", "decrypt", "rewrap"):
            is_moved = name == "rewrap"
            help = "where the outputs go" + (" (in their place)" if is_moved else "")
            one.add_argument("target", metavar="TARGET", nargs="?" if is_moved else None, help=help)
        one.add_argument(
            "--manifest", required=True, help="the folder of the job: its plan, and what became of each object"
        )
        if name in ("encrypt", "rewrap"):
            one.add_argument("-r", "--recipient", action="append", default=[], help="a public key")
            one.add_argument("-R", "--recipients-file", action="append", default=[], help="a file of public keys")
            one.add_argument(
                "--allow-mixed", action="store_true", help="allow post-quantum and classical keys together"
            )
        if name in ("decrypt", "verify", "rewrap"):
            one.add_argument(
                "--identities",
                required=True,
                help="where workers find the keys: file:PATH, env:NAME, exec:PROGRAM or module:function",
            )
        if name == "encrypt":
            one.add_argument("--suite", help="aes-256-gcm, chacha20-poly1305 or sm4-gcm")
            one.add_argument(
                "--skip-existing",
                action="store_true",
                help="skip objects that have an output, so that only new objects are left",
            )
        if name != "verify":
            one.add_argument("--suffix", default=".seal", help="behind the names of sealed objects (.seal)")
        if name in ("decrypt", "verify", "rewrap"):
            one.add_argument(
                "--earlier",
                metavar="MANIFEST",
                help="the manifest of an earlier job: an object fails if its payload is not the one in the manifest",
            )
        if name == "rewrap":
            one.add_argument("--replace", action="store_true", help="remove all recipients that are not named here")
        if name != "inspect":
            one.add_argument("--profile", help="allow only what fips or gm allows")
        one.add_argument(
            "--inventory", help="a list of the objects (Parquet or CSV: input, size, etag) in place of a listing"
        )
        one.add_argument(
            "--engine",
            choices=("processes", "spark", "ray"),
            default="processes",
            help="what runs the workers (processes)",
        )
        one.add_argument(
            "--master",
            help="the cluster: Spark's master, sc://… for Spark Connect, or Ray's address (what their settings say)",
        )
        one.add_argument(
            "--workers", type=int, help="how many processes (one for each core); with Spark, how many tasks at once"
        )
        one.add_argument("--json", action="store_true", help="print the report as JSON")
    return parser


def _settings(given: argparse.Namespace) -> dict[str, Any]:
    settings = {
        name: value
        for name, value in vars(given).items()
        if name not in ("operation", "json", "recipient", "recipients_file") and value is not None
    }
    if "recipient" in given:
        recipients = list(given.recipient)
        for path in given.recipients_file:
            with open(path, encoding="utf-8") as file:
                recipients.append(file.read())
        settings["recipients"] = recipients
    if sys.stderr.isatty():
        settings["on_progress"] = _Progress()
    return settings


def _engine(name: str, master: str | None) -> Any:
    """The engine with this name. It joins a cluster, or starts one."""
    if name == "ray":
        import ray

        ray.init(master, log_to_driver=False)
        return ray
    if name == "spark":
        from pyspark.sql import SparkSession

        # Workers on this machine are processes of this Python.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("sealstone-jobs")
        if master is not None:
            builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
        return builder.getOrCreate()
    return name


def _work(given: argparse.Namespace) -> Callable[..., Report]:
    work: Callable[..., Report] = getattr(_driver, given.operation)
    return work


class _Progress:
    """A line in the terminal with a job's progress, its rate, and the remaining time."""

    def __init__(self) -> None:
        self._first: tuple[int, int, float] | None = None
        _show_line("listing the objects")

    def __call__(self, report: Report) -> None:
        failed = f", {report.failed:,} failed" if report.failed else ""
        line = f"{report.total:,} of {report.planned:,} objects{failed}, {report.bytes / 1e9:.2f} GB"
        # The first report includes the objects of earlier runs, which would distort the rate.
        self._first = self._first or (report.total, report.bytes, report.seconds)
        total, length, seconds = self._first
        if report.total > total and report.seconds > seconds:
            took = report.seconds - seconds
            rate = (report.total - total) / took
            left = round((report.planned - report.total) / rate)
            line += f", {rate:,.0f} objects/s, {(report.bytes - length) / took / 1e6:,.0f} MB/s"
            line += f", {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left" if left else ""
        _show_line(line)


def _show_line(line: str) -> None:
    """Overwrites the previous line with a new one."""
    print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def _show(report: Report, seconds: float, as_json: bool) -> None:
    counts = {
        name: getattr(report, name) for name in ("total", "done", "adopted", "skipped", "failed", "bytes", "unhashed")
    }
    if as_json:
        failures = [
            {"input": row.input, "code": row.code, "message": row.message} for row in islice(report.failures(), 100)
        ]
        print(
            json.dumps(
                {"job": report.id, "manifest": report.manifest, **counts, "failures": failures, "notes": report.notes}
            )
        )
        return
    print(
        f"{report.done} done, {report.adopted} adopted, {report.skipped} skipped, {report.failed} failed:"
        f" {report.bytes / 1e9:.3f} GB in {seconds:.1f} s"
    )
    for row in islice(report.failures(), 10):
        print(f"  {_printable(row.input)}: {row.code}: {_printable(row.message)}")
    if report.failed > 10:
        print(f"  and {report.failed - 10} more: see {report.manifest}")
    for note in report.notes:
        print(_printable(note))


def _printable(text: str) -> str:
    """A text with its control characters made harmless for a terminal."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


if __name__ == "__main__":
    sys.exit(main())
