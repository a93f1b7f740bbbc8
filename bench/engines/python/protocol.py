"""The engines' side of the benchmark's line protocol (docs/design/bench.md), for engines in Python."""

import gc
import hashlib
import itertools
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import processes

_OUTPUT_MAX_LEN = 1 << 14
"""Bytes of an output that a line of the protocol holds."""
_LONG_NS = 50_000_000
"""An operation takes so long that collecting garbage before it does not matter."""

Setup = Callable[["Input", dict[str, str]], "Trial"]


class Unsupported(Exception):
    """What a library does not offer is no failure of it."""


@dataclass(frozen=True)
class Input:
    """What an operation works on, and the folder that belongs to its contender."""

    path: str
    folder: str

    def read(self) -> bytes:
        with open(self.path, "rb") as file:
            return file.read()


@dataclass
class Trial:
    """An operation that is set up. The clock sees what `run` does."""

    run: Callable[[], Any]
    reveal: Callable[[Any], Iterable[bytes]] | None = None
    """Parts of what all contenders agree on, made of what `run` returned; without it that is the output itself."""
    length: Callable[[Any], int] = len
    """Bytes of the output."""
    written: Callable[[Any], bytes] | None = None
    """The output as other engines read it, if they do."""
    opens: Callable[[bytes], bytes] | None = None
    """What another engine's output opens to."""
    tidy: Callable[[], object] | None = None
    """Done before each run, outside of the clock: it removes what the one before has written."""
    units: int = 1
    has_processes: bool = False
    """Whether the work is done by processes below this one, whose CPU time and memory count."""


def read_options(options: Mapping[str, str], **known: str) -> dict[str, str]:
    """The options of an operation, with what they are if nothing is said; one that it does not know may be misspelt."""
    for name in options.keys() - known:
        raise Unsupported(f"it has no option {name}")
    return {**known, **options}


def choose(table: Mapping[str, Any], name: str, what: str) -> Any:
    """What a table has under the name, which an option said."""
    if name not in table:
        raise Unsupported(f"it has no {what} {name} here")
    return table[name]


def serve(name: str, about: Callable[[], tuple[str, str]], operations: Mapping[str, Setup]) -> None:
    """Answers the lines of standard input until `quit`. `about` returns a version and what computes."""
    engine = _Engine(name, about, operations)
    for line in sys.stdin:
        word, *rest = line.rstrip("\n").split(" ")
        if word == "quit":
            break
        print(engine.answer(word, rest), flush=True)
    engine.end()


class _Engine:
    def __init__(self, name: str, about: Callable[[], tuple[str, str]], operations: Mapping[str, Setup]) -> None:
        self._name, self._about, self._operations = name, about, operations
        self._trial: Trial | None = None
        self._output: bytes | None = None
        self._is_long = False
        self._watch = processes.Watch()
        self._commands: dict[str, Callable[..., str]] = {
            "hello": self._hello,
            "operations": lambda: " ".join(["operations", *operations]),
            "prepare": self._prepare,
            "run": self._run,
            "output": self._said,
            "opens": self._opens,
            "memory": self._memory,
        }

    def answer(self, word: str, rest: list[str]) -> str:
        try:
            return self._commands[word](*rest) if word in self._commands else f"error no command {word}"
        except Unsupported as refusal:
            return f"unsupported {quote(str(refusal), safe=' /,')}"
        except Exception as error:  # The harness decides what a failure means.
            return f"error {quote(f'{type(error).__name__}: {error}', safe=' /,:')}"

    def end(self) -> None:
        self._watch.end()

    def _hello(self) -> str:
        version, backend = self._about()
        return f"engine name={quote(self._name)} version={quote(version)} backend={quote(backend, safe=';,/')}"

    def _prepare(self, wanted: str, *words: str) -> str:
        self._trial = self._output = None
        given = {name: unquote(value) for name, _, value in (word.partition("=") for word in words)}
        place = Input(given.pop("input"), given.pop("dir"))
        setup: Setup = choose(self._operations, wanted, "operation")
        trial = setup(place, given)
        if trial.tidy is not None:
            trial.tidy()
        self._watch.begin(has_processes=trial.has_processes)
        output = trial.run()
        self._watch.rest()
        hashed = hashlib.sha256()
        for part in (output,) if trial.reveal is None else trial.reveal(output):
            hashed.update(part)
        self._keep(trial, output)
        self._trial = trial
        length = trial.length(output)
        del output
        gc.collect()
        if not trial.has_processes:
            processes.reset_peak()
        units = f" units={trial.units}" if trial.units != 1 else ""
        return f"ready digest={hashed.hexdigest()} bytes={length}{units}"

    def _run(self, count: str) -> str:
        trial, iterations = self._prepared(), int(count)
        if self._is_long:
            gc.collect()
        run, tidy = trial.run, trial.tidy
        clock = processes.cpu_ns if trial.has_processes else time.process_time_ns
        output: Any = None
        wall = cpu = 0
        # What is tidied up is done one at a time, since its clock stops in between.
        for stretch in [iterations] if tidy is None else itertools.repeat(1, iterations):
            if tidy is not None:
                tidy()
            begun_cpu, begun = clock(), time.perf_counter_ns()
            for _ in itertools.repeat(None, stretch):
                output = run()
            wall += time.perf_counter_ns() - begun
            cpu += clock() - begun_cpu
        self._is_long = wall // iterations >= _LONG_NS
        self._keep(trial, output)
        return f"sample wall_ns={wall} cpu_ns={cpu} iterations={iterations}"

    def _keep(self, trial: Trial, output: Any) -> None:
        """Keeps an output that others open. A longer one would count as memory of the next run."""
        written = None if trial.written is None else trial.written(output)
        self._output = written if written is not None and len(written) <= _OUTPUT_MAX_LEN else None

    def _said(self) -> str:
        self._prepared()
        if self._output is None:
            raise ValueError("it has no output for a line")
        return f"output hex={self._output.hex()}"

    def _opens(self, text: str) -> str:
        opens = self._prepared().opens
        if opens is None:
            raise ValueError("it opens no output of others")
        return f"opened digest={hashlib.sha256(opens(bytes.fromhex(text))).hexdigest()}"

    def _memory(self) -> str:
        peak = self._watch.peak_bytes() if self._prepared().has_processes else processes.peak_bytes()
        return f"memory peak_bytes={peak}"

    def _prepared(self) -> Trial:
        if self._trial is None:
            raise ValueError("nothing is prepared")
        return self._trial
