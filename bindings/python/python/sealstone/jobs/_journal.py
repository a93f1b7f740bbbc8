"""What workers write down before they publish it: who finds an output there can tell whether this job has made it.

A job's folder has `journal/WAVE-ATTEMPT.jsonl`, a line for each output that an attempt is about to publish. A local folder has one file
for each attempt, to which lines are added; a store has one for as many outputs as become ready together.
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
    """The ETag that a store gives it, where that is a digest which is known before: of what a store copies itself."""

    def is_of(self, content: Content, etag: str) -> bool:
        """Whether an object with this content is the one that was to be published: its head, byte for byte, its length and its payload."""
        is_same = etag == self.etag if self.etag else self.payload == content.payload
        return is_same and (self.head, self.length) == content[:2]


class Journal:
    """The journal of one task: what it is about to publish, and what all attempts at its wave were."""

    def __init__(self, job: Job, wave: int) -> None:
        self._job, self._wave = job, wave
        self._lock, self._at_work = threading.Lock(), threading.Lock()
        self._waiting: list[_Line] = []
        self._local = -1

    def write(self, entry: Entry, content: Content, etag: str = "") -> None:
        """Writes down what is about to be published, and returns when that is stored. Lines of several threads are stored together."""
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
                # Whoever waits tries it again. What a file has of a line that did not come to its end is read by nobody.
                with self._lock:
                    self._waiting[:0] = (one for one in lines if one is not line)
                self.close()
                raise
            for one in lines:
                one.is_stored = True

    def of(self, entry: Entry) -> list[Intent]:
        """What attempts of this job were about to publish for an object."""
        found = _kept(_Place(self._job), self._wave).of(entry.output)
        return [intent for intent in found if intent.input == entry.input]

    def close(self) -> None:
        """Ends its file; what is written then is in another one."""
        if self._local >= 0:
            os.close(self._local)
            self._local = -1

    def _store(self, data: bytes) -> None:
        fs, folder = _folder(_Place(self._job))
        if is_local(fs):
            if self._local < 0:
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
                self._local = os.open(self._new_name(folder), flags, 0o666)
                sync_folder(folder)
            while data:
                data = data[os.write(self._local, data) :]
            os.fdatasync(self._local)
        else:
            fs.pipe_file(self._new_name(folder), data)

    def _new_name(self, folder: str) -> str:
        return f"{folder}/{self._wave:08}-{uuid.uuid4().hex}.jsonl"


class _Line:
    """A line that is to be stored."""

    def __init__(self, intent: Intent) -> None:
        self.data = json.dumps(intent._asdict()).encode() + b"\n"
        self.is_stored = False


class _Place:
    """Where a job's folder is. Its options may have values that are no keys, so it is known by its name."""

    def __init__(self, job: Job) -> None:
        self.id, self.url, self.options = job.id, job.folder, job.folder_options

    def __hash__(self) -> int:
        return hash((self.id, self.url))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and (self.id, self.url) == (other.id, other.url)


@lru_cache(8)
def _folder(place: _Place) -> tuple[AbstractFileSystem, str]:
    """The journal's folder, which a worker may not reach: it must be the one that the driver has begun."""
    if not place.url:
        raise FileNotFoundError("the job has no folder to write down in what it is about to publish")
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
    """What was written down for a wave. Files that have grown, or came since, are read when it is asked for."""

    def __init__(self, place: _Place, wave: int) -> None:
        self._place, self._wave = place, wave
        self._lock = threading.Lock()
        self._lengths: dict[str, int] = {}
        """Bytes of each file that are read."""
        self._intents: dict[str, list[Intent]] = {}

    def of(self, output: str) -> list[Intent]:
        with self._lock:
            self._read()
            return list(self._intents.get(output, ()))

    def _read(self) -> None:
        fs, folder = _folder(self._place)
        fs.invalidate_cache(folder)
        try:
            listed: list[dict[str, Any]] = fs.ls(folder, detail=True)
        except FileNotFoundError:
            return
        grown = [one for one in listed if self._is_more(one)]
        if not grown:
            return
        names = [one["name"] for one in grown]
        begins = [self._lengths.get(name, 0) for name in names]
        for name, begin, data in zip(names, begins, fs.cat_ranges(names, begins, None, on_error="raise"), strict=True):
            # A line that has no end is being written, or its worker was killed: nothing was published of it.
            whole = data[: data.rfind(b"\n") + 1]
            for line in whole.splitlines():
                intent = Intent(**json.loads(line))
                self._intents.setdefault(intent.output, []).append(intent)
            self._lengths[name] = begin + len(whole)

    def _is_more(self, listed: dict[str, Any]) -> bool:
        name: str = listed["name"].rpartition("/")[2]
        is_of_wave = name.startswith(f"{self._wave:08}-") and name.endswith(".jsonl")
        return is_of_wave and int(listed["size"]) > self._lengths.get(listed["name"], 0)
