"""Every vector of files and of keys, in every way that the package reads."""

import hashlib
import io
import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sealstone
from sealstone import _native, errors


@dataclass
class Vector:
    name: str
    lines: list[tuple[str, str]]
    file: bytes

    def values(self, name: str) -> list[str]:
        return [value for key, value in self.lines if key == name]

    def value(self, name: str) -> str | None:
        return next(iter(self.values(name)), None)


# The keys of vectors/README.md. Those from `archive` on are about members of archives, which are bytes here.
FILE_KEYS = {
    *(
        "expect",
        "section",
        "comment",
        "identity",
        "identity-pkcs8",
        "passphrase",
        "context",
        "range",
        "chunk",
        "released",
    ),
    *("archive", "list", "extract", "member", "data"),
}
KEY_FILE_KEYS = {"expect", "section", "comment", "read", "passphrase", "key", "secret"}


def all_of(folder: Path, keys: set[str] | None = None) -> Iterator[Vector]:
    for path in sorted(folder.iterdir()):
        head, _, file = path.read_bytes().partition(b"\n\n")
        lines = [tuple(line.split(": ", 1)) for line in head.decode().split("\n")]
        assert keys is None or {line[0] for line in lines} <= keys, path.name
        yield Vector(path.name, lines, file)  # type: ignore[arg-type]


def is_compressed(file: bytes) -> bool:
    """Whether a file, armoured or not, has a suite that exists and the flag of compressed content."""
    if armoured := re.match(rb"-----BEGIN SEALSTONE FILE-----\n([A-Za-z0-9+/]{16})", file):
        file = b64decode(armoured[1])
    is_version_2 = file.startswith(b"\x89SEAL\r\n\x1a\x02") and len(file) >= 12
    return is_version_2 and file[9] in (1, 2, 3) and file[11] & 4 != 0


def in_parts(vector: Vector) -> Vector:
    """A vector as it is for streams, which do not read compressed files yet: they say so of a header that is whole."""
    file = vector.file
    is_whole = file[:1] == b"-" or len(file) >= 16 + int.from_bytes(file[12:16]) + 32
    if not (is_compressed(file) and is_whole):
        return vector
    told = [line for line in vector.lines if line[0] not in ("expect", "released", "chunk")]
    nothing = hashlib.sha256().hexdigest()
    return Vector(vector.name, [*told, ("expect", "unsupported_version"), ("released", nothing)], file)


def options_of(vector: Vector) -> dict[str, Any]:
    identities = []
    for key, value in vector.lines:
        if key == "identity":
            identities.append(sealstone.import_identity(value))
        elif key == "identity-pkcs8":
            identities.append(sealstone.import_identity(b64decode(value)))
    identities += [sealstone.identity_from_passphrase(one) for one in vector.values("passphrase")]
    # None at all is a wrong argument here; this one opens nothing.
    options: dict[str, Any] = {"identities": identities or [sealstone.generate_identity("x25519")]}
    context = vector.value("context")
    if context is not None:
        options["context"] = context.encode()
    return options


class Pieces(io.RawIOBase):
    """A stream that gives pieces of these lengths, over and over."""

    def __init__(self, file: bytes, lengths: tuple[int, ...]) -> None:
        self._file, self._lengths, self._at, self._turn = file, lengths, 0, 0

    def read(self, size: int = -1, /) -> bytes:
        length = self._lengths[self._turn % len(self._lengths)]
        self._turn += 1
        part = self._file[self._at : self._at + min(length, size)]
        self._at += len(part)
        return part


Release = Callable[[bytes], object]


def ways_of(
    vector: Vector, options: dict[str, Any], folder: Path
) -> Iterator[tuple[str, bool, Callable[[Release], object]]]:
    """Each way has a name, and whether it releases the bytes before a fault."""
    file = vector.file
    if (bounds := vector.value("range")) is not None:
        start, end = map(int, bounds.split(".."))
        yield "range", False, lambda release: release(sealstone.decrypt_range(file, start, end, **options))
        path = folder / "range.seal"
        path.write_bytes(file)
        yield (
            "range of a file",
            False,
            lambda release: release(sealstone.decrypt_range_file(path, start, end, **options)),
        )
        return
    yield "bytes", False, lambda release: release(sealstone.decrypt(file, **options))
    # Of these the header takes seconds, with which the ways of reading have nothing to do.
    if vector.name.startswith("attempts_") or vector.name.endswith("writers_cost"):
        return
    yield "bytearray", False, lambda release: release(sealstone.decrypt(bytearray(file), **options))

    def into(release: Release) -> None:
        out = bytearray(1 << 24 if is_compressed(file) else len(file))
        try:
            release(bytes(out[: sealstone.decrypt_into(file, out, **options)]))
        except sealstone.Error:
            assert out.count(0) == len(out)
            raise

    yield "into", False, into

    def batch(release: Release) -> None:
        [one] = sealstone.decrypt_batch([file], **options)
        if isinstance(one, sealstone.Error):
            raise one
        release(one)

    yield "batch", False, batch

    def by_name(release: Release) -> None:
        sealed, opened = folder / "file.seal", folder / "file"
        sealed.write_bytes(file)
        try:
            sealstone.decrypt_file(sealed, opened, **options)
            # Whether an archive's members are in order is no question of `expect`, but `verify_file` asks it.
            if (archive := vector.value("archive")) in (None, "success"):
                assert sealstone.verify_file(sealed, **options).plaintext == opened.stat().st_size
            else:
                with pytest.raises(sealstone.Error) as failed:
                    sealstone.verify_file(sealed, **options)
                assert failed.value.code == archive
            release(opened.read_bytes())
        except sealstone.Error:
            assert not opened.exists()
            raise
        finally:
            opened.unlink(missing_ok=True)

    yield "file", False, by_name
    for lengths in ((1,), (7, 16_400, 333, 65_537, 2), (1 << 30,)):
        if lengths == (1,) and len(file) > 1 << 17:
            continue

        def stream(release: Release, lengths: tuple[int, ...] = lengths) -> None:
            class Target(io.RawIOBase):
                def write(self, data: Any, /) -> int:
                    release(bytes(data))
                    return len(data)

            sealstone.decrypt_stream(Pieces(file, lengths), Target(), **options)

        yield f"stream by {lengths}", True, stream
    if not _native.is_armoured(file):

        def opened(release: Release) -> None:
            with sealstone.open(io.BytesIO(file), **options) as one:
                length = one.seek(0, io.SEEK_END)
                one.seek(0)
                plaintext = one.read()
                assert len(plaintext) == length
                release(plaintext)

        yield "open", False, opened


def test_every_vector_of_files_gives_its_verdict_in_every_way(vectors: Path, tmp_path: Path) -> None:
    faults, readings = [], 0
    all_vectors = list(all_of(vectors / "file", FILE_KEYS))
    for told in all_vectors:
        options = options_of(told)
        for way, releases, read in ways_of(told, options, tmp_path):
            vector = in_parts(told) if way == "open" or way.startswith("stream") else told
            expected, chunk = vector.value("expect"), vector.value("chunk")
            parts: list[bytes] = []
            code, message = "success", ""
            try:
                read(parts.append)
            except sealstone.Error as error:
                code, message = error.code, str(error)
            readings += 1
            released = hashlib.sha256(b"".join(parts)).hexdigest()
            if code != expected:
                faults.append(f"{vector.name}, {way}: {code} ({message}) instead of {expected}")
            elif (code == "success" or releases) and released != vector.value("released"):
                faults.append(f"{vector.name}, {way}: other bytes were released")
            elif chunk is not None and way != "open" and message != f"chunk {chunk} is not authentic":
                faults.append(f"{vector.name}, {way}: {message}")
    assert faults == []
    assert len(all_vectors) >= 1697
    assert readings > 7 * len(all_vectors)


def test_a_file_shows_that_it_is_compressed_and_that_it_is_an_archive(vectors: Path) -> None:
    seen: dict[tuple[int, bool, bool], int] = {}
    for vector in all_of(vectors / "file", FILE_KEYS):
        if vector.value("expect") == "success":
            found = sealstone.inspect(vector.file)
            assert found.compressed == is_compressed(vector.file), vector.name
            kind = (found.version, found.compressed, found.archive)
            seen[kind] = seen.get(kind, 0) + 1
    assert sorted(seen) == [(1, False, False), (2, False, True), (2, True, False), (2, True, True)]
    assert seen[2, False, True] >= 239


def test_compressed_content_is_not_written_where_there_is_less_room(vectors: Path) -> None:
    named = {one.name: one for one in all_of(vectors / "file", FILE_KEYS)}
    for name, is_shorter in [("compressed_armoured", True), ("compressed_content_of_65792", False)]:
        file, options = named[name].file, options_of(named[name])
        content = sealstone.decrypt(file, **options)
        # What `inspect` shows is the length of the frames.
        assert (len(content) < sealstone.inspect(file).plaintext_len) == is_shorter
        out = bytearray(b"\x09" * (len(content) + 1))
        with pytest.raises(errors.WrongLength):
            sealstone.decrypt_into(file, memoryview(out)[: len(content) - 1], **options)
        assert set(out) == {9}
        assert sealstone.decrypt_into(file, out, **options) == len(content)
        assert out == content + b"\x09"


def test_every_vector_of_key_files_is_read_as_it_says(vectors: Path) -> None:
    faults = []
    all_vectors = list(all_of(vectors / "keys", KEY_FILE_KEYS))
    for vector in all_vectors:
        code, found = "success", []
        try:
            if vector.value("read") == "recipients":
                recipients = sealstone.import_recipients(vector.file)
            else:
                identities = sealstone.import_identities(vector.file, passphrase=vector.value("passphrase"))
                recipients = [sealstone.recipient_of(one) for one in identities]
            found = [f"{one.kind} {one.fingerprint}" for one in recipients]
        except errors.Error as error:
            code = error.code
        if code != vector.value("expect"):
            faults.append(f"{vector.name}: {code} instead of {vector.value('expect')}")
        elif code == "success" and found != vector.values("key"):
            faults.append(f"{vector.name}: {found} instead of {vector.values('key')}")
    assert faults == []
    assert len(all_vectors) >= 648


def test_published_key_files_of_others_give_their_keys_or_their_code(vectors: Path) -> None:
    files = json.loads((vectors / "borrowed" / "key_files.json").read_bytes())
    faults, read = [], 0
    for one in files:
        file = b64decode(one["text"]) if one["form"] == "der-base64" else one["text"]
        code, found = "success", None
        try:
            if one["read"] == "recipients":
                found = sealstone.import_recipients(file)[0].fingerprint
            else:
                identities = sealstone.import_identities(file, passphrase=one.get("passphrase"))
                found = sealstone.recipient_of(identities[0]).fingerprint
        except errors.Error as error:
            code = error.code
        if code != one["expect"]:
            faults.append(f"{one['name']}: {code} instead of {one['expect']}")
        elif code == "success":
            read += 1
            public = one["kind"].encode() + b"\0" + bytes.fromhex(one["public"])
            if found != f"SHA256:{hashlib.sha256(public).hexdigest()}":
                faults.append(f"{one['name']}: another key")
    assert faults == []
    assert len(files) >= 110
    assert read >= 44
