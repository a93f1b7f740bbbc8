"""An adversary who changes objects between any two steps of a job, and a job that is killed there and goes on later."""

import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import sealstone
from sealstone import jobs
from sealstone.jobs import _task

OLD, NEW, STRANGER = (sealstone.generate_identity() for _ in range(3))
FULL = bool(os.environ.get("SEALSTONE_ALL_STEPS"))
"""Whether an adversary comes before each step: `make test-release` has it so. Else before some, which differ between tests."""

Act = Callable[[bytes | None, bytes], bytes | None]
ACTS: dict[str, Act] = {
    "for the old key": lambda _, other: sealed(other, OLD),
    "a stranger's": lambda _, other: sealed(other, STRANGER),
    "for the new key": lambda _, other: sealed(other, NEW),
    "cut": lambda there, _: there and there[:-5],
    "another bit": lambda there, _: there and there[:-5] + bytes([there[-5] ^ 1]) + there[-4:],
    "plain": lambda _, other: other,
    "removed": lambda *_: b"",
}
"""Changes an output, given the file of another plaintext of the same length: `None` changes nothing, and no bytes remove it."""


def sealed(data: bytes, identity: sealstone.Identity) -> bytes:
    return sealstone.encrypt(data, recipients=sealstone.recipient_of(identity))


class Place:
    """One object on a file system, the job over it, and the output that the job must make."""

    def __init__(self, url: str, folder: Path, operation: str, length: int = 23_000) -> None:
        self.plaintext = random.Random(length).randbytes(length)
        self.fs, self.root = fsspec.url_to_fs(url)
        self.url, self.folder, self.operation = url, folder, operation
        self.input = f"{self.root}/{'in' if operation == 'encrypt' else 'in.seal'}"
        self.output = {"encrypt": "/out/in.seal", "decrypt": "/out/in", "rewrap": "/in.seal"}[operation]
        self.output = self.input if operation == "rewrap" else f"{self.root}{self.output}"
        self.fs.makedirs(self.root, exist_ok=True)
        for name, identity in (("old", OLD), ("new", NEW)):
            (folder / name).write_text(sealstone.export_identity(identity))
        self.fs.pipe_file(self.input, self.plaintext if operation == "encrypt" else sealed(self.plaintext, OLD))
        self.given = self.fs.cat_file(self.input)

    def work(self) -> jobs.Report:
        common: Any = {"manifest": str(self.folder / "job"), "engine": None}
        source, target, identities = f"{self.url}/{Path(self.input).name}", f"{self.url}/out", f"file:{self.folder}/old"
        if self.operation == "encrypt":
            return jobs.encrypt(source, target, recipients=sealstone.recipient_of(NEW), **common)
        if self.operation == "decrypt":
            return jobs.decrypt(source, target, identities=identities, **common)
        new = sealstone.recipient_of(NEW)
        return jobs.rewrap(source, identities=identities, recipients=new, replace=True, **common)

    def there(self) -> bytes | None:
        """The bytes at the place of the output."""
        self.fs.invalidate_cache()
        return self.fs.cat_file(self.output) if self.fs.exists(self.output) else None

    def is_right(self) -> bool:
        """Whether that is the output of the job, and nothing else."""
        found = self.there()
        if found is None or self.operation == "decrypt":
            return found == self.plaintext
        try:
            return sealstone.decrypt(found, identities=NEW) == self.plaintext
        except sealstone.errors.Error:
            return False

    def change(self, act: Act) -> bytes | None:
        """Has the adversary act on the output; returns its bytes then."""
        found = act(self.there(), self.plaintext[::-1])
        if found == b"":
            if self.fs.exists(self.output):
                self.fs.rm_file(self.output)
            return None
        if found is not None:
            self.fs.makedirs(self.fs._parent(self.output), exist_ok=True)
            self.fs.pipe_file(self.output, found)
        return self.there()


def chosen(count: int, what: str, most: int = 10) -> range:
    """Steps before which something happens: about so many, which differ from test to test, or all."""
    stride = 1 if FULL else max(1, count // most)
    return range(1 + sum(what.encode()) % stride, count + 1, stride)


_FILES = tuple(f"{os.sep}jobs{os.sep}_{name}.py" for name in ("task", "journal", "head", "store"))
_CALLS = ("sealstone._native", "posix")


class Steps:
    """Counts the steps of this thread in a task, and acts before one of them.

    A step is the begin or the end of a function of the worker's, or of a call of it to native code, the system or a store.
    """

    def __init__(self, act: Callable[[], object] = lambda: None, at: int = 0) -> None:
        self._act, self._at = act, at
        self._is_at_work = False
        self.count = 0

    def __enter__(self) -> "Steps":
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _look(self, frame: Any, event: str, function: Any) -> None:
        if not frame.f_code.co_filename.endswith(_FILES):
            return
        if frame.f_code is _task.run.__code__ and event in ("call", "return"):
            # The job lists before it; from it on the job works on its objects.
            self._is_at_work = event == "call"
        if not self._is_at_work:
            return
        if event.startswith("c_"):
            of = getattr(function, "__self__", None)
            module = function.__module__ or type(of).__module__
            if module not in _CALLS:
                return
        self.count += 1
        if self.count == self._at:
            self._act()


def steps_of(work: Callable[[], jobs.Report]) -> int:
    """How many steps a job has, which runs once in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with Steps() as steps:
            work()
        os.write(writer, str(steps.count).encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as answer:
        count = int(answer.read())
    os.waitpid(child, 0)
    return count


def killed(work: Callable[[], jobs.Report], at: int) -> None:
    """Runs a job in a process of its own, which is killed before a step."""
    child = os.fork()
    if not child:
        with Steps(lambda: os.kill(os.getpid(), signal.SIGKILL), at):
            work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL, f"it was not killed at step {at}"


def killed_and_changed(place: Place, at: int, act: str) -> bool:
    """A job is killed before a step, an adversary acts, and the job goes on: it claims only right output, and keeps files of others.

    It returns whether the output was made before the job was killed.
    """
    killed(place.work, at)
    was_made = place.is_right()
    left = place.change(ACTS[act])
    [row] = place.work().rows()
    if row.state in ("done", "adopted"):
        assert place.is_right(), f"{row} at step {at}"
    else:
        assert row.state == "failed", f"{row} at step {at}"
        assert row.code, row
        assert place.there() == left, f"{row} at step {at}"
    return was_made


def beside(place: Place, at: int, act: str) -> None:
    """An adversary acts before a step. Before the output has appeared, the job makes it or fails; afterwards its claim was right."""
    made: list[bool] = []
    left: list[bytes | None] = []

    def adversary() -> None:
        made.append(place.is_right())
        left.append(place.change(ACTS[act]))

    with Steps(adversary, at):
        report = place.work()
    [row] = report.rows()
    if row.state == "failed":
        assert place.there() == left[0], f"{row} at step {at}"
    else:
        assert row.state in ("done", "adopted"), f"{row} at step {at}"
        assert made[0] or place.is_right(), f"{row} at step {at}"
