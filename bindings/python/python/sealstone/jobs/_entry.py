"""What a job works on, and what it says of each: plain values for a worker, and tables of them for the driver."""

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
    """What changes with its content: a store's ETag, or a local file's number and times; empty where the store has none."""
    output: str
    """The URL of what it becomes; empty where nothing is written."""
    payload: str = ""
    """BLAKE3 of its payload, which an earlier manifest has; empty where none has it."""
    payload_etag: str = ""
    """The ETag that the object had then."""


class Row(NamedTuple):
    """What became of one object: a row of the manifest."""

    input: str
    size: int
    etag: str
    output: str
    output_etag: str
    commitment: str
    """32 bytes in hexadecimal digits that name a payload's key, through all rewraps; empty where there is none."""
    payload: str
    """BLAKE3 of the payload, in hexadecimal digits: of all behind the header, through all rewraps; empty where it is not known."""
    state: State
    code: str
    """Of what failed or was skipped, its code."""
    message: str
    attempt: str
    """Which attempt of the engine's has written it."""
    seconds: float
    detail: str
    """Of `inspect`: what the header says, as JSON."""


def _schema(fields: type[Entry] | type[Row]) -> pa.Schema:
    types = {"size": pa.int64(), "seconds": pa.float64()}
    return pa.schema([(name, types.get(name, pa.string())) for name in fields._fields])


ENTRIES = _schema(Entry)
"""The columns of a plan."""
ROWS = _schema(Row)
"""The columns of a manifest."""
_WAVE = pa.field("wave", pa.int32())
TASK = ENTRIES.append(_WAVE)
"""The columns of a task: its entries, and the wave that they are of."""
DONE = ROWS.append(_WAVE)
"""The columns of what a task gives back."""


@dataclass(frozen=True)
class Job:
    """What workers get. It holds no secret: identities are named, and found by the worker."""

    id: str
    operation: Operation
    begun: float
    """Seconds since 1970."""
    recipients: tuple[str, ...] = ()
    identities: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    """`suite`, `context`, `profile`, `allow_mixed`, and of `rewrap` `replace`."""
    suffix: str = ".seal"
    """What names of sealed objects end with: one that is none is damaged."""
    skip_existing: bool = False
    """Whether an output that is there is nothing to do, whoever has made it."""
    input: str = ""
    """What URLs of inputs begin with. It says which file system they are of."""
    output: str = ""
    """What URLs of outputs begin with; empty where an object is given another head in its place."""
    source: dict[str, Any] = field(default_factory=dict)
    """Options of the source's file system."""
    target: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    """The URL of the job's folder, where workers write down what they are about to publish."""
    folder_options: dict[str, Any] = field(default_factory=dict)
    """Options of its file system."""
