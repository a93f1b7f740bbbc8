"""Jobs over many objects: one that encrypts, and one that does nothing but copy, on the same engine."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

from files import parts
from protocol import Input, Setup, Trial, read_options

_Engine = Callable[[str, int], Any]
"""Makes what runs the tasks, of the work (`encrypt` or `copy`) and the number of workers."""


def objects_of(place: Input, length: int) -> tuple[str, int]:
    """The input in files of one length, and how many there are. All contenders have the same ones."""
    size = os.path.getsize(place.path)
    changed = os.stat(place.path).st_mtime_ns
    folder = os.path.join(os.path.dirname(place.path), f"objects-{length}-{changed}")
    count = -(-size // length)
    if not os.path.exists(folder):
        unfinished = f"{folder}.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        with open(place.path, "rb") as source:
            for number in range(count):
                # A folder has no more than a thousand of them, as few stores have.
                name = os.path.join(unfinished, f"{number // 1000:04}", f"{number:08}")
                os.makedirs(os.path.dirname(name), exist_ok=True)
                with open(name, "wb", buffering=0) as file:
                    left = length
                    while left and (done := os.sendfile(file.fileno(), source.fileno(), None, left)):
                        left -= done
        os.rename(unfinished, folder)
    return folder, count


def _processes(work: str, workers: int) -> Any:
    from sealstone.jobs import Processes

    if work == "copy":
        from copies import Copying

        return Copying(workers)
    return Processes(workers)


def operation(work: str, engine: _Engine) -> Setup:
    """A job over all objects. It begins with a listing and ends with a manifest."""

    def setup(place: Input, options: dict[str, str]) -> Trial:
        import sealstone
        from sealstone import jobs

        chosen = read_options(options, object_bytes="65536", workers="1", kind="hybrid")
        source, count = objects_of(place, int(chosen["object_bytes"]))
        target, manifest = os.path.join(place.folder, "target"), os.path.join(place.folder, "manifest")
        identity = sealstone.generate_identity(chosen["kind"])
        recipient = sealstone.recipient_of(identity)
        runner = engine(work, int(chosen["workers"]))

        def tidy() -> None:
            for folder in (target, manifest):
                shutil.rmtree(folder, ignore_errors=True)

        def run() -> str:
            report = jobs.encrypt(source, target, recipients=recipient, manifest=manifest, engine=runner)
            if report.done != count:
                raise ValueError(f"{report.done} of {count} objects: {next(report.failures(), None)}")
            return target

        def reveal(target: str) -> Iterator[bytes]:
            for path in _files(target):
                if work == "copy":
                    yield from parts(path)
                else:
                    with sealstone.open(path, identities=identity) as file:
                        while part := file.read(1 << 20):
                            yield part

        return Trial(run, reveal=reveal, length=_length, tidy=tidy, units=count, has_processes=True)

    return setup


def _files(folder: str) -> Iterator[str]:
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(path, name)


def _length(folder: str) -> int:
    return sum(map(os.path.getsize, _files(folder)))


OPERATIONS = {f"job/{work}": operation(work, _processes) for work in ("encrypt", "copy")}
