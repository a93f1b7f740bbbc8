"""CPU time and memory of this process, and of the processes below it: those of a job are workers of a server of workers."""

import os
import threading

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def cpu_ns() -> int:
    """CPU time of this process, of those below it, and of those that they have waited for, in steps of 10 ms."""
    ticks = 0
    for process in _all():
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as file:
                # The name before the last parenthesis may hold anything.
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += sum(map(int, fields[11:15]))
    return ticks * _TICK_NS


def peak_bytes(process: int | str = "self") -> int:
    """The peak resident set of a process since it was reset; 0 of one that has ended."""
    try:
        with open(f"/proc/{process}/status", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def reset_peak() -> None:
    try:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")
    except OSError:
        pass  # The peak is then that since the process began, which is more.


def _all() -> list[int]:
    """This process and all below it."""
    found = [os.getpid()]
    for process in found:
        try:
            for task in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{task}/children", encoding="ascii") as file:
                    found.extend(map(int, file.read().split()))
        except OSError:
            continue
    return found


class Watch:
    """Looks at the memory of processes while an operation is done for the first time, which is not timed."""

    def __init__(self) -> None:
        self._peak = 0
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, *, has_processes: bool) -> None:
        self._peak = 0
        if has_processes:
            self._is_over.clear()
            self._thread = threading.Thread(target=self._look, daemon=True)
            self._thread.start()

    def rest(self) -> None:
        if self._thread is not None:
            self._is_over.set()
            self._thread.join()
            self._thread = None

    end = rest

    def peak_bytes(self) -> int:
        """The most that one of the processes below this one had."""
        return self._peak

    def _look(self) -> None:
        while not self._is_over.wait(0.02):
            self._peak = max([self._peak, *(peak_bytes(process) for process in _all()[1:])])
