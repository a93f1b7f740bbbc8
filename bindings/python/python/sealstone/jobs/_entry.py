"""The objects of a job and their outcomes: plain values for a worker, and tables of them for the driver."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

import pyarrow as pa

Operation: TypeAlias = Literal["encrypt", "decrypt", "verify", "rewrap", "inspect"]
State: TypeAlias = Literal["done", "adopted", "skipped", "failed"]


class Entry(NamedTuple):
    """One object of the source."""

    input: str
    """Its URL."""
    size: int
    etag: str
    """A value that changes with its content: a store's ETag, or a local file's inode and times; empty if the store has none."""
    output: str
    """The URL of its output; empty if the job writes none."""
    payload: str = ""
    """BLAKE3 of its payload from an earlier manifest; empty if unknown."""
    payload_etag: str = ""
    """The ETag of the object in that manifest."""


class Row(NamedTuple):
    """The outcome of one object: a row of the manifest."""

    input: str
    size: int
    etag: str
    output: str
    output_etag: str
    commitment: str
    """32 bytes in hexadecimal digits that identify a payload's key. They stay the same through all rewraps; empty if there are none."""
    payload: str
    """BLAKE3 of all bytes behind the header, in hexadecimal digits. It stays the same through all rewraps; empty if unknown."""
    state: State
    code: str
    """The code of a failure or of a skipped object."""
    message: str
    attempt: str
    """The attempt of the engine that wrote it."""
    seconds: float
    detail: str
    """For `inspect`: the content of the header, as JSON."""


def _schema(fields: type[Entry] | type[Row]) -> pa.Schema:
    types = {"size": pa.int64(), "seconds": pa.float64()}
    return pa.schema([(name, types.get(name, pa.string())) for name in fields._fields])


ENTRIES = _schema(Entry)
"""The columns of a plan."""
ROWS = _schema(Row)
"""The columns of a manifest."""
_WAVE = pa.field("wave", pa.int32())
TASK = ENTRIES.append(_WAVE)
"""The columns of a task: its entries, and their wave."""
DONE = ROWS.append(_WAVE)
"""The columns of a task's result."""


@dataclass(frozen=True)
class Job:
    """The description of a job, for workers. It holds no secret: it only names the identities, and the worker finds them."""

    id: str
    operation: Operation
    begun: float
    """Seconds since 1970."""
    recipients: tuple[str, ...] = ()
    identities: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    """`suite`, `context`, `profile`, `allow_mixed`, and for `rewrap` `replace`."""
    suffix: str = ".seal"
    """The end of the names of sealed objects. An object with such a name that is no sealed file is damaged."""
    skip_existing: bool = False
    """Whether to skip an object that has an output, no matter which job made it."""
    input: str = ""
    """The beginning of the URLs of inputs. It determines their file system."""
    output: str = ""
    """The beginning of the URLs of outputs; empty if the job replaces heads in place."""
    source: dict[str, Any] = field(default_factory=dict)
    """Options of the source's file system."""
    target: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    """The URL of the job's folder, where workers write down what they are about to publish."""
    folder_options: dict[str, Any] = field(default_factory=dict)
    """Options of its file system."""
