"""The parts that tests of several families share: other programs and packages, and wrong uses."""

import importlib
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

import pytest
from victims import until


def module(name: str) -> Any:
    """A module of another package. Where it is missing, CI fails, and elsewhere the test is skipped and says why."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return missing(name)


def program(name: str) -> str:
    """The path of another program, in the same way."""
    path = shutil.which(name)
    return path or missing(name)


def missing(name: str) -> NoReturn:
    assert os.environ.get("CI") != "true", f"{name} is missing"
    pytest.skip(f"{name} is missing")


def refused(error: type[Exception], *uses: Callable[[], object]) -> None:
    """Every use raises this error."""
    for use in uses:
        with pytest.raises(error):
            use()


def lets_others_run(call: Callable[[], object]) -> bool:
    """Whether a call lets other threads run in it. It is made again until one did, however busy the machine is."""
    seen = threading.Event()
    return until(lambda: _beside(call, seen.set) or seen.is_set(), "another thread runs in the call")


def interrupted(call: Callable[[], object], error: type[BaseException] = KeyboardInterrupt) -> None:
    """Ends a call that lasts by SIGINT, whose handler raises this error: the call lets it out."""

    def end(*_: object) -> None:
        raise error

    # Where the tests run in the background of a shell the signal is ignored, and Python has no handler of its own.
    before = signal.signal(signal.SIGINT, end)
    try:
        with pytest.raises(error):
            _beside(call, lambda: os.kill(os.getpid(), signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


def _beside(call: Callable[[], object], act: Callable[[], None]) -> None:
    """Makes a call. Another thread acts in it, as soon as the call lets it run, and not if it never does."""
    is_inside = False
    entered = threading.Event()

    def wait() -> None:
        entered.wait()
        if is_inside:
            act()

    thread = threading.Thread(target=wait)
    thread.start()
    before = sys.getswitchinterval()
    # No thread takes Python's lock from another: where the other one runs, the call gave the lock up.
    sys.setswitchinterval(3600)
    try:
        entered.set()
        is_inside = True
        call()
    finally:
        is_inside = False
        sys.setswitchinterval(before)
        thread.join()
