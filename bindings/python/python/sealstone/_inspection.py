from dataclasses import dataclass


@dataclass(frozen=True)
class StanzaInfo:
    """One recipient's part of a header."""

    kind: str
    type_id: int
    body_len: int


@dataclass(frozen=True)
class Inspection:
    """The fields of a file that anybody can see. None of them is authenticated."""

    version: int
    suite: str
    context_bound: bool
    """Whether decryption needs a context."""
    compressed: bool
    archive: bool
    """Whether the content is an archive of files and folders."""
    armoured: bool
    stanzas: tuple[StanzaInfo, ...]
    header_len: int
    """Bytes of the header, salt and commitment not counted."""
    payload_len: int
    """Bytes behind the header; those that its text stands for, where it is armoured."""
    plaintext_len: int
    """Bytes of the plaintext. Of a file that is compressed it is the stored content; how long the content is does not show."""
    chunks: int


def _of(
    version: int,
    suite: str,
    context_bound: bool,
    compressed: bool,
    archive: bool,
    armoured: bool,
    stanzas: list[tuple[str, int, int]],
    *lengths: int,
) -> Inspection:
    """Of what the native part says, in the order of the fields."""
    parts = tuple(StanzaInfo(*one) for one in stanzas)
    return Inspection(version, suite, context_bound, compressed, archive, armoured, parts, *lengths)
