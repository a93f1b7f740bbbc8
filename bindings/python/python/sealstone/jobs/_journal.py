"""The journal of a job: workers record each output before they publish it. So a later attempt can tell whether this job made an output.

A job's folder has `journal/WAVE/NAME.jsonl`, with a line for each output that an attempt is about to publish. A local folder has one file
for each attempt, to which the attempt appends lines. A store has one file for all outputs that become ready together.
"""

import json
import os
import threading
import uuid
from functools import lru_cache
from typing import Any, NamedTuple

from fsspec import AbstractFileSystem
from fsspec.core import url_to_fs

from ._content import Content
from ._entry import Entry, Job
from ._store import is_local, sync_folder

FOLDER = "journal"


class Intent(NamedTuple):
    """An output that is about to be published."""

    input: str
    output: str
    head: str
    length: int
    commitment: str
    payload: str
    etag: str = ""
    """The ETag that the store will give the output, if it is known before: for outputs that the store copies itself."""

    def is_of(self, content: Content, etag: str) -> bool:
        """Whether an object with this content is this output: the same head, byte for byte, the same length and the same payload."""
        is_same = etag == self.etag if self.etag else self.payload == content.payload
        return is_same and (self.head, self.length) == content[:2]


class Journal:
    """The journal of one task. It writes the task's outputs, and reads those of all attempts at its wave."""

    def __init__(self, job: Job, wave: int) -> None:
        self._job, self._wave = job, wave
        self._lock, self._at_work = threading.Lock(), threading.Lock()
        self._waiting: list[_Line] = []
        self._own: dict[str, list[Intent]] = {}
        self._local = -1

    def write(self, entry: Entry, content: Content, etag: str = "") -> None:
        """Records an output before it is published, and returns when the line is stored. Lines of several threads are stored together."""
        line = _Line(Intent(entry.input, entry.output, *content, etag))
        with self._lock:
            self._waiting.append(line)
        with self._at_work:
            if line.is_stored:
                return
            with self._lock:
                lines, self._waiting = self._waiting, []
            try:
                self._store(b"".join(one.data for one in lines))
            except BaseException:
                # A waiting thread tries again. Readers ignore an incomplete line in a file.
                with self._lock:
                    self._waiting[:0] = (one for one in lines if one is not line)
                self.close()
                raise
            for one in lines:
                one.is_stored = True
                self._own.setdefault(one.intent.output, []).append(one.intent)

    def of(self, entry: Entry, is_new: bool = False) -> list[Intent]:
        """The outputs that attempts of this job were about to publish for an object. With `is_new`, it first reads new lines."""
        found = _kept(_Place(self._job), self._wave).of(entry.output, is_new)
        return [intent for intent in (*self._own.get(entry.output, ()), *found) if intent.input == entry.input]

    def close(self) -> None:
        """Closes its file. Later lines go to a new file."""
        if self._local >= 0:
            os.close(self._local)
            self._local = -1

    def _store(self, data: bytes) -> None:
        fs, folder = _folder(_Place(self._job))
        if is_local(fs):
            if self._local < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
                os.makedirs(of_wave(folder, self._wave), exist_ok=True)
                self._local = os.open(self._new_name(folder), flags, 0o666)
                sync_folder(of_wave(folder, self._wave))
            while data:
                data = data[os.write(self._local, data) :]
            os.fdatasync(self._local)
        else:
            fs.pipe_file(self._new_name(folder), data)

    def _new_name(self, folder: str) -> str:
        return f"{of_wave(folder, self._wave)}/{uuid.uuid4().hex}.jsonl"


def of_wave(folder: str, wave: int) -> str:
    """The folder with a journal's lines of a wave."""
    return f"{folder}/{wave:08}"


class _Line:
    """A line to store."""

    def __init__(self, intent: Intent) -> None:
        self.intent = intent
        self.data = json.dumps(intent._asdict()).encode() + b"\n"
        self.is_stored = False


class _Place:
    """The place of a job's folder. Its options may have values that cannot be dictionary keys, so its URL is the key."""

    def __init__(self, job: Job) -> None:
        self.id, self.url, self.options = job.id, job.folder, job.folder_options

    def __hash__(self) -> int:
        return hash((self.id, self.url))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and (self.id, self.url) == (other.id, other.url)


@lru_cache(8)
def _folder(place: _Place) -> tuple[AbstractFileSystem, str]:
    """The journal's folder. It fails if the worker cannot reach the folder that the driver has made."""
    if not place.url:
        raise FileNotFoundError("the job has no folder for the journal of what it is about to publish")
    fs, root = url_to_fs(place.url, **place.options)
    try:
        described = json.loads(fs.cat_file(f"{root}/job.json"))
        is_of_job = described.get("id") == place.id
    except FileNotFoundError:
        is_of_job = False
    if not is_of_job:
        raise FileNotFoundError(
            f"this worker does not find the job's folder at {place.url}: the manifest must be where all workers can write"
        )
    return fs, f"{root}/{FOLDER}"


@lru_cache(2)
def _kept(place: _Place, wave: int) -> "_Kept":
    return _Kept(place, wave)


class _Kept:
    """The journal's lines of a wave. On request, it reads new files and new lines."""

    def __init__(self, place: _Place, wave: int) -> None:
        self._place, self._wave = place, wave
        self._lock = threading.Lock()
        self._lengths: dict[str, int] = {}
        """The bytes of each file that were read."""
        self._intents: dict[str, list[Intent]] = {}
        self._is_read = False

    def of(self, output: str, is_new: bool) -> list[Intent]:
        with self._lock:
            if is_new or not self._is_read:
                self._read()
                self._is_read = True
            return list(self._intents.get(output, ()))

    def _read(self) -> None:
        fs, journal = _folder(self._place)
        folder = of_wave(journal, self._wave)
        fs.invalidate_cache(folder)
        try:
            listed: list[dict[str, Any]] = fs.ls(folder, detail=True)
        except FileNotFoundError:
            return
        grown = [one["name"] for one in listed if int(one["size"] or 0) > self._lengths.get(one["name"], 0)]
        if not grown:
            return
        begins = [self._lengths.get(name, 0) for name in grown]
        for name, begin, data in zip(grown, begins, fs.cat_ranges(grown, begins, None, on_error="raise"), strict=True):
            # A line without an end is still being written, or its worker was killed: its output was not published.
            whole = data[: data.rfind(b"\n") + 1]
            self._lengths[name] = begin + len(whole)
            for intent in filter(None, map(_intent, whole.splitlines())):
                self._intents.setdefault(intent.output, []).append(intent)


def _intent(line: bytes) -> Intent | None:
    """The content of a line, or None for a damaged or foreign line: then no output is adopted because of it."""
    try:
        intent = Intent(**json.loads(line))
    except (ValueError, TypeError):
        return None
    is_text = all(isinstance(value, str) for name, value in intent._asdict().items() if name != "length")
    return intent if is_text and isinstance(intent.length, int) else None
