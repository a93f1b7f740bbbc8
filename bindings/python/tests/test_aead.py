"""`sealstone.aead`, against `cryptography` and libsodium."""

import copy
import ctypes
import os
import pickle
import struct
from collections.abc import Callable
from typing import Any

import nacl.bindings
import numpy as np
import pyarrow as pa
import pytest
import sealstone
from cryptography.hazmat.primitives.ciphers import aead as theirs
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors
from sealstone.aead import AeadKey, generate_key, key_length, nonce_length

ALGORITHMS = (
    "aes-128-gcm",
    "aes-192-gcm",
    "aes-256-gcm",
    "aes-128-gcm-siv",
    "aes-256-gcm-siv",
    "chacha20-poly1305",
    "xchacha20-poly1305",
    "sm4-gcm",
    "sm4-ccm",
)
LENGTHS = (0, 1, 15, 16, 17, 50, 1024, 2047, 2048, 2049, 100_000, 3_000_000)
Oracle = Callable[[bytes, bytes, bytes, bytes], bytes]


def xchacha(key: bytes, nonce: bytes, data: bytes, aad: bytes) -> bytes:
    sealed: bytes = nacl.bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(data, aad, nonce, key)
    return sealed


def of_cryptography(name: str) -> Oracle:
    kind: Any = getattr(theirs, name)
    return lambda key, nonce, data, aad: kind(key).encrypt(nonce, data, aad)


ORACLES: dict[str, Oracle] = {
    "aes-128-gcm": of_cryptography("AESGCM"),
    "aes-192-gcm": of_cryptography("AESGCM"),
    "aes-256-gcm": of_cryptography("AESGCM"),
    "aes-128-gcm-siv": of_cryptography("AESGCMSIV"),
    "aes-256-gcm-siv": of_cryptography("AESGCMSIV"),
    "chacha20-poly1305": of_cryptography("ChaCha20Poly1305"),
    "xchacha20-poly1305": xchacha,
}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_seals_as_other_libraries_do_and_opens_it(algorithm: str, length: int) -> None:
    secret, nonce = generate_key(algorithm), os.urandom(nonce_length(algorithm))
    assert len(secret) == key_length(algorithm)
    data, aad = os.urandom(length), os.urandom(length % 40)
    key = AeadKey(algorithm, secret)
    sealed = key.seal(nonce, data, aad)
    assert len(sealed) == length + 16
    # Their AES-GCM-SIV refuses to seal nothing.
    if algorithm in ORACLES and not (length == 0 and algorithm.endswith("siv")):
        assert sealed == ORACLES[algorithm](secret, nonce, data, aad)
    for buffer in (bytes, bytearray, memoryview):
        assert key.open(buffer(nonce), buffer(sealed), buffer(aad)) == data
        assert key.seal(buffer(nonce), buffer(data), buffer(aad)) == sealed
        drawn = key.seal_random(buffer(data), buffer(aad))
        assert key.open_random(buffer(drawn), buffer(aad)) == data
        assert key.open(drawn[: len(nonce)], drawn[len(nonce) :], aad) == data
    assert key.seal_random(data) != key.seal_random(data)
    out, back = bytearray(length + 20), np.zeros(length + 3, "u1")
    assert key.seal_into(nonce, data, out, aad) == length + 16
    assert out[: length + 16] == sealed
    assert key.open_into(nonce, sealed, back, aad) == length
    assert back[:length].tobytes() == data
    with pytest.raises(errors.WrongLength):
        key.seal_into(nonce, data, bytearray(length + 15), aad)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("length", [0, 1, 100, 70_000])
def test_a_buffer_may_be_input_and_result(algorithm: str, length: int) -> None:
    key, nonce = AeadKey(algorithm, generate_key(algorithm)), os.urandom(nonce_length(algorithm))
    data = os.urandom(length)
    sealed = key.seal(nonce, data)
    for shift in (0, 1, 16, length + 16):
        # The plaintext lies at the beginning of the result, across it, or behind it.
        buffer = bytearray(b"x" * (2 * length + 64))
        view = memoryview(buffer)
        buffer[shift : shift + length] = data
        assert key.seal_into(nonce, view[shift : shift + length], buffer) == length + 16
        assert buffer[: length + 16] == sealed
        assert buffer[max(shift, 16) + length :] == b"x" * (length + 64 - max(shift, 16))
        buffer[shift : shift + length + 16] = sealed
        assert key.open_into(nonce, view[shift : shift + length + 16], buffer) == length
        assert buffer[:length] == data
    # Nothing is lost by a wrong call.
    buffer = bytearray(data + bytes(16))
    for wrong in (b"", nonce[1:] + b"long"):
        with pytest.raises(errors.WrongLength):
            key.seal_into(wrong, memoryview(buffer)[:length], buffer)
        assert buffer == data + bytes(16)
    apart = bytearray(b"x" * (length + 20))
    with pytest.raises(errors.WrongLength):
        key.seal_into(b"", bytearray(data), apart)
    assert apart == bytes(length + 16) + b"xxxx"


def test_more_than_is_sealed_at_once() -> None:
    key, nonce = AeadKey("aes-256-gcm", generate_key("aes-256-gcm")), bytes(12)
    data = os.urandom(1 << 20) * 32 + b"and a byte"
    out = bytearray(len(data) + 16)
    assert key.seal_into(nonce, data, out) == len(out)
    assert out == key.seal(nonce, data)
    assert key.open_into(nonce, out, memoryview(out)) == len(data)
    assert out[: len(data)] == data
    with pytest.raises(errors.NotAuthentic):
        key.open_into(nonce, out, memoryview(out))
    assert out[: len(data)] == data


def test_sm4_is_that_of_rfc_8998() -> None:
    # RFC 8998, A.1 and A.2.
    secret, nonce = bytes.fromhex("0123456789abcdeffedcba9876543210"), bytes.fromhex("00001234567800000000abcd")
    aad = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    data = b"".join(bytes([one]) * 8 for one in (0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 0xEE, 0xAA))
    assert AeadKey("sm4-gcm", secret).seal(nonce, data, aad)[-16:].hex() == "83de3541e4c2b58177e065a9bf7b62ec"
    assert AeadKey("sm4-ccm", secret).seal(nonce, data, aad)[-16:].hex() == "16842d4fa186f56ab33256971fa110f4"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_what_was_changed_is_not_authentic(algorithm: str) -> None:
    key, nonce = AeadKey(algorithm, generate_key(algorithm)), bytes(nonce_length(algorithm))
    sealed = key.seal(nonce, b"attack at dawn" * 300, b"aad")
    for at in (0, 100, len(sealed) - 16, len(sealed) - 1):
        damaged = bytearray(sealed)
        damaged[at] ^= 0x80
        with pytest.raises(errors.NotAuthentic):
            key.open(nonce, damaged, b"aad")
        out = bytearray(b"x" * len(sealed))
        with pytest.raises(errors.NotAuthentic):
            key.open_into(nonce, damaged, out, b"aad")
        assert out == bytes(len(sealed) - 16) + b"x" * 16
        with pytest.raises(errors.NotAuthentic):
            key.open_into(nonce, bytes(damaged), out, b"aad")
        assert out == bytes(len(sealed) - 16) + b"x" * 16
    for use in (
        lambda: key.open(nonce, sealed, b"ada"),
        lambda: key.open(nonce, sealed),
        lambda: key.open(nonce, sealed[:-1], b"aad"),
        lambda: key.open(nonce, b"", b"aad"),
        lambda: key.open_random(b"short"),
        lambda: key.open(b"", bytes(15), b"aad"),
        lambda: key.open(b"\1" + nonce[1:], sealed, b"aad"),
        lambda: AeadKey(algorithm, generate_key(algorithm)).open(nonce, sealed, b"aad"),
    ):
        with pytest.raises(errors.NotAuthentic):
            use()


@pytest.mark.parametrize("bits", [128, 192, 256])
@pytest.mark.parametrize("length", [8, 16])
def test_gcm_takes_the_nonces_of_other_programs(bits: int, length: int) -> None:
    algorithm: Any = f"aes-{bits}-gcm"
    secret, nonce, aad = generate_key(algorithm), os.urandom(length), os.urandom(20)
    key = AeadKey(algorithm, secret)
    for size in LENGTHS:
        data = os.urandom(size)
        sealed = key.seal(nonce, data, aad)
        assert sealed == ORACLES[algorithm](secret, nonce, data, aad)
        assert key.open(nonce, sealed, aad) == data
        out = bytearray(size)
        assert key.open_into(nonce, sealed, out, aad) == size
        assert out == data
    with pytest.raises(errors.NotAuthentic):
        key.open(bytes(length), sealed, aad)


def test_wrong_use() -> None:
    with pytest.raises(errors.UnknownAlgorithm, match="aes-256-gcm"):
        AeadKey("aes-256-gmc", bytes(32))
    with pytest.raises(errors.WrongLength, match="32 bytes, got 16"):
        AeadKey("aes-256-gcm", bytes(16))
    key = AeadKey("aes-256-gcm", bytes(32))
    with pytest.raises(errors.WrongLength, match="must be 8, 12 or 16 bytes, got 11"):
        key.seal(bytes(11), b"")
    with pytest.raises(TypeError):
        key.seal(bytes(12), "text")  # type: ignore[arg-type]
    with pytest.raises(errors.TooLong):
        AeadKey("sm4-ccm", bytes(16)).seal(bytes(12), bytes(1 << 24))
    assert repr(key) == "AeadKey(aes-256-gcm)"
    for take in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="stays in its process"):
            take(key)
    key.destroy()
    with pytest.raises(ValueError, match="destroyed"):
        key.seal(bytes(12), b"")


def test_batches() -> None:
    key = AeadKey("chacha20-poly1305", generate_key("chacha20-poly1305"))
    items = [os.urandom(length) for length in range(100)]
    sealed = key.seal_batch(items, b"aad")
    assert len({one[:12] for one in sealed}) == 100
    sealed[7] = sealed[8]
    sealed[9] = b"short"
    opened = key.open_batch(sealed, b"aad")
    assert isinstance(opened[9], errors.NotAuthentic)
    assert opened[:9] == [*items[:7], items[8], items[8]]
    assert opened[10:] == items[10:]


def buffers_of(array: pa.Array) -> tuple[Any, Any]:
    """The values and the offsets of an Arrow array, as far as they are the array's."""
    width = 8 if pa.types.is_large_binary(array.type) or pa.types.is_large_string(array.type) else 4
    _, offsets, values = array.buffers()
    start = array.offset * width
    return values if values is not None else b"", offsets.slice(start, (len(array) + 1) * width)


@settings(max_examples=80, deadline=None)
@given(
    cells=st.lists(st.binary(max_size=60), max_size=60),
    skip=st.integers(0, 5),
    is_large=st.booleans(),
    is_named=st.booleans(),
    prefix=st.binary(max_size=20),
)
def test_records_of_a_column(cells: list[bytes], skip: int, is_large: bool, is_named: bool, prefix: bytes) -> None:
    secret = generate_key("aes-256-gcm")
    key = AeadKey("aes-256-gcm", secret)
    kind = pa.large_binary() if is_large else pa.binary()
    # A part of an array has offsets that do not begin at 0.
    array = pa.array([b"skipped"] * skip + cells, kind)[skip:]
    names = pa.array([f"row {i}" for i in range(len(cells))], pa.string())
    bound = {
        "prefix": prefix,
        "aad": b"column",
        "large": is_large,
        **({"names": buffers_of(names)} if is_named else {}),
    }
    sealed, offsets = key.seal_records(*buffers_of(array), **bound)
    column = pa.Array.from_buffers(kind, len(cells), [None, pa.py_buffer(offsets), pa.py_buffer(sealed)])
    column.validate(full=True)
    for i, cell in enumerate(column.to_pylist()):
        aad = b"column" + (struct.pack(">I", len(f"row {i}")) + f"row {i}".encode() if is_named else b"")
        assert cell.startswith(prefix)
        cell = cell[len(prefix) :]
        assert theirs.AESGCM(secret).decrypt(cell[:12], cell[12:], aad) == cells[i]
    values, offsets = key.open_records(sealed, offsets, **bound)
    back = pa.Array.from_buffers(kind, len(cells), [None, pa.py_buffer(offsets), pa.py_buffer(values)])
    assert back.to_pylist() == cells


def test_records_that_are_wrong() -> None:
    key = AeadKey("aes-256-gcm", generate_key("aes-256-gcm"))
    offsets = struct.pack("=4i", 0, 6, 8, 12)
    sealed, ends = key.seal_records(b"attackatdawn", offsets, names=(b"abc", struct.pack("=4i", 0, 1, 2, 3)))
    with pytest.raises(errors.NotAuthentic, match="chunk 1 "):
        key.open_records(sealed, ends, names=(b"axc", struct.pack("=4i", 0, 1, 2, 3)))
    with pytest.raises(errors.NotAuthentic, match="chunk 0 "):
        key.open_records(sealed, ends)
    behind, behind_ends = key.seal_records(b"attackatdawn", offsets, prefix=b"key")
    with pytest.raises(errors.NotAuthentic, match="chunk 0 "):
        key.open_records(behind, behind_ends, prefix=b"KEY")
    with pytest.raises(errors.WrongLength):
        key.seal_records(b"attackatdawn", offsets, names=(b"", struct.pack("=2i", 0, 0)))
    for wrong in (b"", b"\0" * 5, struct.pack("=2i", 0, 13), struct.pack("=2i", -1, 3), struct.pack("=3i", 0, 5, 4)):
        with pytest.raises(errors.InvalidEncoding):
            key.seal_records(b"attackatdawn", wrong)
        with pytest.raises(errors.InvalidEncoding):
            key.open_records(b"attackatdawn", wrong)
    assert issubclass(sealstone.InvalidEncoding, ValueError)


def test_memory_of_ctypes_is_a_buffer_like_any_other() -> None:
    key = AeadKey("aes-256-gcm", bytes(32))
    out = ctypes.create_string_buffer(16 + 16)
    assert key.seal_into(bytes(12), (ctypes.c_ubyte * 16)(*range(16)), out) == 32
    assert out.raw == key.seal(bytes(12), bytes(range(16)))
    assert key.open_into(bytes(12), out, out) == 16
    assert out.raw[:16] == bytes(range(16))


def test_an_exporter_says_itself_why_it_gives_no_bytes() -> None:
    released = memoryview(b"attack at dawn")
    released.release()
    with pytest.raises(ValueError, match="released"):
        AeadKey("aes-256-gcm", bytes(32)).seal(bytes(12), released)
    with pytest.raises(TypeError, match="a bytes-like object is required, not 'int'"):
        AeadKey("aes-256-gcm", bytes(32)).seal(bytes(12), 7)  # type: ignore[arg-type]
