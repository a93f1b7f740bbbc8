"""Bytes in memory."""

import mmap
import os
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import sealstone
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors

IDENTITY = sealstone.generate_identity()
RECIPIENT = sealstone.recipient_of(IDENTITY)
LENGTHS = (0, 1, 100, 16_383, 16_384, 16_385, 1 << 20, (1 << 20) + 1, 9_000_001)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview])
def test_what_was_encrypted_is_decrypted(length: int, buffer: type) -> None:
    data = os.urandom(length)
    file = sealstone.encrypt(buffer(data), recipients=RECIPIENT)
    assert len(file) == sealstone.encrypted_length(length, recipients=RECIPIENT)
    assert sealstone.decrypt(buffer(file), identities=IDENTITY) == data
    assert sealstone.inspect(file).plaintext_len == length


@settings(max_examples=60, deadline=None)
@given(
    data=st.binary(max_size=70_000),
    suite=st.sampled_from(["aes-256-gcm", "chacha20-poly1305"]),
    context=st.none() | st.binary(min_size=1, max_size=1024),
    armour=st.booleans(),
    threads=st.none() | st.integers(1, 1024),
)
def test_options_go_round(data: bytes, suite: str, context: bytes | None, armour: bool, threads: int | None) -> None:
    options = {} if context is None else {"context": context}
    file = sealstone.encrypt(data, recipients=RECIPIENT, suite=suite, armour=armour, threads=threads, **options)
    assert file.startswith(b"-----BEGIN") == armour
    seen = sealstone.inspect(file)
    assert (seen.suite, seen.armoured, seen.context_bound) == (suite, armour, context is not None)
    assert sealstone.decrypt(file, identities=IDENTITY, threads=threads, **options) == data
    if context is not None:
        with pytest.raises(errors.ContextRequired):
            sealstone.decrypt(file, identities=IDENTITY)


@settings(max_examples=60, deadline=None)
@given(length=st.integers(0, 50_000), start=st.integers(0, 60_000), size=st.integers(-10, 60_000))
def test_a_range_is_a_slice(length: int, start: int, size: int) -> None:
    data = os.urandom(length)
    file = sealstone.encrypt(data, key=bytes(32))
    end = max(start + size, 0)
    if start > length or end < start:
        with pytest.raises(errors.RangeOutOfBounds):
            sealstone.decrypt_range(file, start, end, key=bytes(32))
    else:
        assert sealstone.decrypt_range(file, start, end, key=bytes(32)) == data[start:end]


def test_buffers_of_other_libraries(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    (tmp_path / "film").write_bytes(data)
    with open(tmp_path / "film", "r+b") as film, mmap.mmap(film.fileno(), 0) as mapped:
        for buffer in (np.frombuffer(data, "u1"), np.frombuffer(data, "<f4"), pa.py_buffer(data), mapped):
            file = sealstone.encrypt(buffer, recipients=RECIPIENT)
            assert sealstone.decrypt(file, identities=IDENTITY) == data
    grid = np.arange(12, dtype="i8").reshape(3, 4)
    assert sealstone.decrypt(sealstone.encrypt(grid, key=bytes(32)), key=bytes(32)) == grid.tobytes()
    with pytest.raises(BufferError, match="C-contiguous"):
        sealstone.encrypt(grid[:, 1:], key=bytes(32))
    with pytest.raises(BufferError, match="C-contiguous"):
        sealstone.encrypt(memoryview(data)[::2], key=bytes(32))


def test_into_memory_of_the_callers() -> None:
    data = os.urandom(5_000_000)
    length = sealstone.encrypted_length(len(data), recipients=RECIPIENT)
    for source in (data, bytearray(data)):
        out = bytearray(length + 10)
        assert sealstone.encrypt_into(source, out, recipients=RECIPIENT) == length
        assert out[length:] == bytes(10)
        back = np.zeros(len(data) + 3, "u1")
        assert sealstone.decrypt_into(out[:length], back, identities=IDENTITY) == len(data)
        assert back[: len(data)].tobytes() == data
    armoured = bytearray(length * 3 // 2)
    len_armoured = sealstone.encrypt_into(data, armoured, recipients=RECIPIENT, armour=True)
    assert armoured.startswith(b"-----BEGIN SEALSTONE")
    assert sealstone.decrypt_into(armoured[:len_armoured], back, identities=IDENTITY) == len(data)
    with pytest.raises(errors.WrongLength):
        sealstone.encrypt_into(data, bytearray(length - 1), recipients=RECIPIENT)
    with pytest.raises(BufferError):
        sealstone.encrypt_into(data, bytes(length), recipients=RECIPIENT)
    out[3_000_000] ^= 1
    back = bytearray(b"\xff" * len(data))
    with pytest.raises(errors.NotAuthentic, match="chunk"):
        sealstone.decrypt_into(out[:length], back, identities=IDENTITY)
    assert not any(back)


def test_no_byte_of_a_damaged_file_is_returned() -> None:
    data = os.urandom(40_000)
    file = sealstone.encrypt(data, recipients=RECIPIENT)
    for at in (*range(0, 1300, 50), *range(1300, len(file), 997), len(file) - 1):
        damaged = bytearray(file)
        damaged[at] ^= 1
        for copy in (bytes(damaged), damaged):
            with pytest.raises(sealstone.Error):
                sealstone.decrypt(copy, identities=IDENTITY)
    for length in (0, 8, 100, 1200, 1300, 20_000, len(file) - 1):
        for copy in (file[:length], bytearray(file[:length])):
            with pytest.raises(sealstone.Error):
                sealstone.decrypt(copy, identities=IDENTITY)
    for more in (file + b"\0", bytearray(file + b"\0")):
        with pytest.raises(errors.NotAuthentic):
            sealstone.decrypt(more, identities=IDENTITY)


def test_who_writes_meanwhile_seals_junk_and_never_a_lying_tag() -> None:
    data = bytearray(20_000_000)
    done = threading.Event()

    def write() -> None:
        value = 0
        while not done.is_set():
            value = (value + 1) % 256
            data[:: 1 << 16] = bytes([value]) * len(range(0, len(data), 1 << 16))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        files = [sealstone.encrypt(data, recipients=RECIPIENT) for _ in range(5)]
    finally:
        done.set()
        writer.join()
    for file in files:
        assert len(sealstone.decrypt(file, identities=IDENTITY)) == len(data)


def test_rewrapping_gives_a_file_to_others() -> None:
    other = sealstone.generate_identity("x25519")
    file = sealstone.encrypt(b"attack at dawn", recipients=RECIPIENT)
    with pytest.raises(errors.MixedRecipients):
        sealstone.rewrap(file, identities=IDENTITY, recipients=sealstone.recipient_of(other))
    moved = sealstone.rewrap(file, identities=IDENTITY, recipients=sealstone.recipient_of(other), replace=True)
    assert sealstone.decrypt(moved, identities=other) == b"attack at dawn"
    with pytest.raises(errors.NoMatchingIdentity):
        sealstone.decrypt(moved, identities=IDENTITY)


def test_batches_keep_their_order_and_tell_which_failed() -> None:
    items = [os.urandom(length) for length in (0, 1, 5000, 100, 70_000)]
    files = sealstone.encrypt_batch(iter(items), recipients=RECIPIENT)
    assert all(isinstance(file, bytes) for file in files)
    assert sealstone.decrypt_batch(files, identities=IDENTITY) == items  # type: ignore[arg-type]
    files[2] = files[2][:-1] + b"\0\0"  # type: ignore[index, operator]
    opened = sealstone.decrypt_batch(files, identities=IDENTITY)  # type: ignore[arg-type]
    assert isinstance(opened[2], errors.NotAuthentic)
    assert [*opened[:2], *opened[3:]] == [*items[:2], *items[3:]]
    assert sealstone.encrypt_batch([], recipients=RECIPIENT) == []


def test_progress_is_told_and_what_it_raises_ends_the_work() -> None:
    data = bytes(3_000_000)
    told: list[sealstone.Progress] = []
    file = sealstone.encrypt(data, recipients=RECIPIENT, on_progress=told.append)
    assert told[-1].bytes == told[-1].total == len(data)
    assert told[-1].eta == 0
    sealstone.decrypt(file, identities=IDENTITY, on_progress=told.append)

    def stop(progress: sealstone.Progress) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sealstone.encrypt(data, recipients=RECIPIENT, on_progress=stop)


def test_a_passphrase_and_a_key() -> None:
    file = sealstone.encrypt(b"attack at dawn", passphrase="correct horse")
    assert sealstone.decrypt(file, passphrase="correct horse") == b"attack at dawn"
    with pytest.raises(errors.NoMatchingIdentity, match="wrong passphrase"):
        sealstone.decrypt(file, passphrase="wrong horse")
    with pytest.raises(errors.InvalidRecipients):
        sealstone.encrypt(b"", recipients=RECIPIENT, passphrase="correct horse")
    with pytest.raises(errors.WrongLength):
        sealstone.encrypt(b"", key=b"short")
    with pytest.raises(errors.InvalidRecipients):
        sealstone.encrypt(b"")


def test_messages() -> None:
    for kind in ("hybrid", "x25519", "p256", "ml-kem-768"):
        identity = sealstone.generate_identity(kind)
        recipient = sealstone.recipient_of(identity)
        message = sealstone.seal_message(recipient, b"attack at dawn", aad=b"from me")
        assert sealstone.open_message(identity, message, aad=b"from me") == b"attack at dawn"
        text = sealstone.seal_message(recipient, bytearray(b"attack at dawn"), armour=True)
        assert isinstance(text, str)
        assert sealstone.open_message(identity, text) == b"attack at dawn"
        with pytest.raises(errors.NotAuthentic):
            sealstone.open_message(identity, message)
    with pytest.raises(errors.InvalidRecipients):
        sealstone.seal_message(sealstone.recipient_of(sealstone.generate_identity("sm2")), b"")


def test_chunked_encryption_under_a_key() -> None:
    for suite, length in (("aes-256-gcm", 32), ("chacha20-poly1305", 32), ("sm4-gcm", 16)):
        key = sealstone.ChunkedKey(suite, os.urandom(length))
        data = os.urandom(100_000)
        sealed = key.encrypt(b"films", data)
        assert key.decrypt(b"films", bytearray(sealed)) == data
        with pytest.raises(errors.NotAuthentic):
            key.decrypt(b"books", sealed)
        assert repr(key) == f"ChunkedKey({suite})"
        key.destroy()
        with pytest.raises(ValueError, match="destroyed"):
            key.encrypt(b"films", b"")


def test_profiles_refuse() -> None:
    with pytest.raises(errors.NotInProfile):
        sealstone.encrypt(b"", recipients=RECIPIENT, profile="gm")
    with pytest.raises(ValueError, match="threads"):
        sealstone.encrypt(b"", recipients=RECIPIENT, threads=0)
