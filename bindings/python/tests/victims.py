"""Processes that a test ends: how it finds them, and how it keeps them where they are until then."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

Found = TypeVar("Found")
_PATIENCE = 120
"""Seconds that a condition has. None takes so long; a machine that is busy with other things may."""


def until(condition: Callable[[], Found], what: str) -> Found:
    """Waits for a condition, and returns its value."""
    end = time.monotonic() + _PATIENCE
    while not (found := condition()):
        assert time.monotonic() < end, f"it did not come to pass: {what}"
        time.sleep(0.002)
    return found


def descendants(of: int | None = None) -> set[int]:
    """The processes below one; below this one, if none is named."""
    parents = dict(_parents())
    found = {of or os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {of or os.getpid()}


def _parents() -> Iterator[tuple[int, int]]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                # The name of the program comes before, in brackets, and may have any characters.
                state, parent = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[:2]
            except OSError:
                continue
            if state != "Z":
                yield int(name), int(parent)


def workers() -> list[int]:
    """The processes of a pool: their parent is the server that forks them."""
    parents = dict(_parents())
    return sorted(one for one in descendants() if parents.get(one) != os.getpid())


def siblings(process: int) -> list[int]:
    """The other processes that have the parent of this one."""
    parents = dict(_parents())
    return sorted(one for one, parent in parents.items() if parent == parents[process] and one != process)


def above(process: int, word: str) -> int:
    """The nearest process above one whose command line has a word."""
    parents = dict(_parents())
    while process := parents.get(process, 0):
        if word.encode() in Path(f"/proc/{process}/cmdline").read_bytes():
            return process
    raise AssertionError(f"no process above has {word}")


def lives(process: int) -> bool:
    return process in dict(_parents())


def kill(process: int) -> None:
    """Ends a process by SIGKILL, and waits until it is gone."""
    os.kill(process, signal.SIGKILL)
    until(lambda: not lives(process), f"process {process} ends")


def with_open(is_it: Callable[[str], bool], only_to_read: bool = False) -> int | None:
    """A descendant that has a file open whose name in `/proc` is as told, and perhaps only to read it."""
    for process in descendants():
        try:
            for number in os.listdir(f"/proc/{process}/fd"):
                try:
                    at = f"/proc/{process}/fd/{number}"
                    if is_it(os.readlink(at)) and not (only_to_read and os.lstat(at).st_mode & 0o200):
                        return process
                except OSError:
                    continue
        except OSError:
            continue
    return None


def of_port(port: int) -> int:
    """The descendant whose connection on loopback has this port at its end."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].partition(":")[2], 16) == port and int(fields[9]):
            found = with_open(lambda name, inode=fields[9]: name == f"socket:[{inode}]")  # type: ignore[misc]
            if found is not None:
                return found
    raise AssertionError(f"no process has port {port}")


class Held:
    """An input that holds its reader: a FIFO with nothing in it, until it becomes the file that it stands for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.with_name(f"{path.name}.held")
        path.rename(self._file)
        os.mkfifo(path)
        # A reader does not wait as it opens the FIFO but as it reads, where the open file shows whose it is.
        self._end = os.open(path, os.O_RDWR)

    def reader(self) -> int:
        """The process that reads it, once there is one."""
        # A process that just starts has the open files of this one, which are not only to read.
        return until(
            lambda: with_open(lambda name: name == str(self._path), only_to_read=True), f"{self._path} is read"
        )

    def release(self) -> None:
        """Makes it the file. A reader that waits finds the end of the FIFO, which is empty."""
        os.replace(self._file, self._path)
        os.close(self._end)
