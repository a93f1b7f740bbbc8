"""`open`, and streams."""

import csv
import io
import os
import random
import subprocess
import sys
import textwrap
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sealstone
from hypothesis import given, settings
from hypothesis import strategies as st
from sealstone import errors

IDENTITY = sealstone.generate_identity("x25519")
RECIPIENT = sealstone.recipient_of(IDENTITY)
CHUNK = 16_384


def sealed(data: bytes) -> bytes:
    return sealstone.encrypt(data, recipients=RECIPIENT)


class Counting(io.BytesIO):
    """Counts the bytes that were read."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        part = super().read(size)
        self.total += len(part)
        return part


@settings(max_examples=40, deadline=None)
@given(data=st.data(), length=st.sampled_from([0, 1, 100, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 200_000]))
def test_a_reader_is_as_a_file_of_the_plaintext(data: st.DataObject, length: int) -> None:
    plaintext = random.Random(length).randbytes(length).replace(b"\x00", b"\n")
    like = io.BufferedReader(io.BytesIO(plaintext))  # type: ignore[arg-type]
    with sealstone.open(io.BytesIO(sealed(plaintext)), identities=IDENTITY) as file:
        for _ in range(data.draw(st.integers(1, 25))):
            call = data.draw(st.sampled_from(["read", "read1", "readline", "seek", "readinto", "peek", "tell"]))
            size = data.draw(st.integers(-1, 40_000))
            if call == "seek":
                whence = data.draw(st.sampled_from([0, 1, 2]))
                offset = size if whence == 0 else data.draw(st.integers(-40_000, 40_000))
                base = (0, like.tell(), length)[whence]
                if base + offset < 0:
                    with pytest.raises(ValueError, match="negative"):
                        file.seek(offset, whence)
                else:
                    assert file.seek(offset, whence) == like.seek(offset, whence)
            elif call == "tell":
                assert file.tell() == like.tell()
            elif call == "peek":
                part = file.peek(1)
                at = like.tell()
                assert plaintext[at:].startswith(part)
                assert bool(part) == (at < length)
            elif call == "read1":
                part = file.read1(size)
                assert part == like.read(len(part))
                assert part or size == 0 or like.tell() >= length
            elif call == "readinto":
                mine, theirs = bytearray(abs(size)), bytearray(abs(size))
                assert file.readinto(mine) == like.readinto(theirs)
                assert mine == theirs
            else:
                assert getattr(file, call)(size) == getattr(like, call)(size)
        rest = like.read()
        assert file.read() == rest
        assert file.read() == b""


def test_only_what_is_needed_is_read() -> None:
    data = os.urandom(50_000_000)
    source = Counting(sealed(data))
    with sealstone.open(source, identities=IDENTITY) as file:
        assert file.size == len(data)
        assert source.total < 25_000
        source.total = 0
        file.seek(30_000_000)
        assert file.read(65_536) == data[30_000_000:30_065_536]
        assert source.total < 65_536 + 2 * (CHUNK + 16)


def test_readers_of_other_libraries(tmp_path: Path) -> None:
    text = "".join(f"{i};é;{i * i}\r\n" for i in range(30_000))
    (tmp_path / "t.csv").write_bytes(text.encode())
    sealstone.encrypt_file(tmp_path / "t.csv", tmp_path / "t.csv.seal", recipients=RECIPIENT)
    with sealstone.open(tmp_path / "t.csv.seal", "rt", identities=IDENTITY, newline="") as file:
        rows = list(csv.reader(file, delimiter=";"))
    assert rows[-1] == ["29999", "é", str(29_999**2)]
    with sealstone.open(tmp_path / "t.csv.seal", identities=IDENTITY) as file:
        assert list(file) == (tmp_path / "t.csv").read_bytes().splitlines(keepends=True)
    packed = io.BytesIO()
    with sealstone.open(packed, "wb", recipients=RECIPIENT) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", "attack at dawn" * 10_000)
    with sealstone.open(packed, identities=IDENTITY) as file, zipfile.ZipFile(file) as archive:
        assert archive.read("a") == b"attack at dawn" * 10_000
    with sealstone.open(tmp_path / "grid.seal", "wb", recipients=RECIPIENT) as file:
        np.save(file, np.arange(1_000_000))
    with sealstone.open(tmp_path / "grid.seal", identities=IDENTITY) as file:
        assert np.load(file).sum() == 499_999_500_000


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 70_000), max_size=20))
def test_a_writer_takes_parts_of_any_length(lengths: list[int]) -> None:
    target = io.BytesIO()
    parts = [os.urandom(length) for length in lengths]
    with sealstone.open(target, "wb", recipients=RECIPIENT) as file:
        for i, part in enumerate(parts):
            assert file.write((bytes, bytearray, memoryview)[i % 3](part)) == len(part)
        assert file.tell() == sum(lengths)
    assert sealstone.decrypt(target.getvalue(), identities=IDENTITY) == b"".join(parts)


def test_a_file_appears_when_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "log.seal"
    with sealstone.open(path, "wb", recipients=RECIPIENT) as file:
        file.write(bytes(5_000_000))
        assert os.listdir(tmp_path) == []
    assert file.processed == (5_000_000, path.stat().st_size)
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), sealstone.open(path, "wb", recipients=RECIPIENT) as file:
        file.write(bytes(5_000_000))
        _ = 1 / 0
    with pytest.raises(ZeroDivisionError), sealstone.open(path, "wt", recipients=RECIPIENT) as file:
        file.write("half")
        _ = 1 / 0
    with pytest.raises(FileExistsError):
        sealstone.open(path, "xb", recipients=RECIPIENT)
    forgotten = sealstone.open(path, "wb", recipients=RECIPIENT)
    forgotten.write(b"half")
    del forgotten
    forgotten = sealstone.open(path, "wt", recipients=RECIPIENT)
    forgotten.write("half")
    del forgotten
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["log.seal"]
    file = sealstone.open(tmp_path / "new.seal", "xb", recipients=RECIPIENT)
    file.discard()
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file.write(b"")
    assert os.listdir(tmp_path) == ["log.seal"]


@pytest.mark.parametrize("mode", ["wb", "xb", "wt"])
def test_a_writer_that_nobody_closes_is_warned_of_and_leaves_no_file(tmp_path: Path, mode: str) -> None:
    file = sealstone.open(tmp_path / "log.seal", mode, recipients=RECIPIENT)
    file.write("half" if "t" in mode else b"half")
    with pytest.warns(ResourceWarning, match=r"unclosed .*log\.seal.*lost") as warned:
        del file
    [said] = warned
    assert isinstance(said.source, sealstone.SealedWriter) and said.filename == __file__
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("mode", ["rb", "rt"])
def test_a_reader_of_a_file_that_nobody_closes_is_warned_of(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "log.seal"
    path.write_bytes(sealed(b"attack at dawn"))
    file = sealstone.open(path, mode, identities=IDENTITY)
    with pytest.warns(ResourceWarning, match=r"unclosed .*log\.seal") as warned:
        del file
    [said] = warned
    assert isinstance(said.source, sealstone.SealedReader) and said.filename == __file__


def test_nothing_is_said_of_what_was_closed_or_holds_nothing(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    path = tmp_path / "log.seal"
    for mode in ("wb", "wt", "rb", "rt"):
        options = {"recipients": RECIPIENT} if "w" in mode else {"identities": IDENTITY}
        with sealstone.open(path, mode, **options):
            pass
        with pytest.raises(ZeroDivisionError), sealstone.open(path, mode, **options):
            _ = 1 / 0
    sealstone.open(tmp_path / "other", "wb", recipients=RECIPIENT).discard()
    # The object is its owner's to close.
    sealstone.open(io.BytesIO(path.read_bytes()), identities=IDENTITY).read()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(errors.Error):
        sealstone.open(path, identities=IDENTITY)
    assert [one.message for one in recwarn if one.category is ResourceWarning] == []


def test_a_program_that_ends_leaves_no_half_file(tmp_path: Path) -> None:
    script = """
        import os, sealstone
        for mode in ("wb", "wt"):
            file = sealstone.open("log.seal" + mode, mode, key=bytes(32))
            file.write(("half" if mode == "wt" else b"half") * 1_000_000)
            globals()[mode] = file
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, check=True)
    assert os.listdir(tmp_path) == []


def test_what_a_source_or_a_target_raises_is_seen() -> None:
    class Broken(io.BytesIO):
        def write(self, data: Any, /) -> int:
            if self.tell() > 100_000:
                raise OSError(28, "no space")
            return super().write(data)

        def read(self, size: int | None = -1, /) -> bytes:
            raise ConnectionError("gone")

    with pytest.raises(OSError, match="no space"):
        sealstone.encrypt_stream(io.BytesIO(bytes(50_000_000)), Broken(), recipients=RECIPIENT)
    with pytest.raises(OSError, match="no space"), sealstone.open(Broken(), "wb", recipients=RECIPIENT) as file:
        for _ in range(1000):
            file.write(bytes(100_000))
    with pytest.raises(ConnectionError, match="gone"):
        sealstone.encrypt_stream(Broken(), io.BytesIO(), recipients=RECIPIENT)
    with pytest.raises(ConnectionError, match="gone"):
        sealstone.open(Broken(sealed(b"x")), identities=IDENTITY)

    class Greedy(io.BytesIO):
        def write(self, data: Any, /) -> int:
            return len(data) + 1

    with pytest.raises(ValueError, match="took"):
        sealstone.encrypt_stream(io.BytesIO(b"x"), Greedy(), recipients=RECIPIENT)


def test_a_target_may_take_a_part_at_a_time() -> None:
    class Slow(io.RawIOBase):
        def __init__(self) -> None:
            self.all = b""

        def write(self, data: Any, /) -> int:
            self.all += bytes(data[:1000])
            return min(len(data), 1000)

    data = os.urandom(100_000)
    target, back = Slow(), Slow()
    sealstone.encrypt_stream(io.BytesIO(data), target, recipients=RECIPIENT)
    done = sealstone.decrypt_stream(io.BytesIO(target.all), back, identities=IDENTITY)
    assert back.all == data
    assert done == (len(data), len(target.all))


def test_damage_and_truncation(tmp_path: Path) -> None:
    data = os.urandom(100_000)
    file = sealed(data)
    for length in range(0, len(file), 4099):
        with pytest.raises(sealstone.Error):
            sealstone.open(io.BytesIO(file[:length]), identities=IDENTITY)
    # A cut at the end of a chunk is a cut, too.
    head = sealstone.inspect(file).header_len + 56
    for chunks in range(1, 7):
        with pytest.raises(sealstone.Error):
            sealstone.open(io.BytesIO(file[: head + chunks * (CHUNK + 16)]), identities=IDENTITY)
    damaged = bytearray(file)
    damaged[head + 2 * (CHUNK + 16)] ^= 1
    with sealstone.open(io.BytesIO(damaged), identities=IDENTITY) as opened:
        assert opened.read(2 * CHUNK) == data[: 2 * CHUNK]
        with pytest.raises(errors.NotAuthentic, match="chunk 2"):
            opened.read(1)
        opened.seek(3 * CHUNK)
        assert opened.read() == data[3 * CHUNK :]
    # Chunks in another order are not this file.
    swapped = bytearray(file)
    first, second = slice(head, head + CHUNK + 16), slice(head + CHUNK + 16, head + 2 * (CHUNK + 16))
    swapped[first], swapped[second] = file[second], file[first]
    with sealstone.open(io.BytesIO(swapped), identities=IDENTITY) as opened, pytest.raises(errors.NotAuthentic):
        opened.read(1)


def test_a_file_that_becomes_shorter_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "log.seal"
    path.write_bytes(sealed(bytes(1_000_000)))
    with sealstone.open(path, identities=IDENTITY) as file:
        os.truncate(path, 500_000)
        with pytest.raises(errors.Truncated):
            file.read()


def test_armour_is_read_as_a_stream() -> None:
    data = os.urandom(1_000_000)
    text, back = io.BytesIO(), io.BytesIO()
    sealstone.encrypt_stream(io.BytesIO(data), text, recipients=RECIPIENT, armour=True)
    assert text.getvalue().startswith(b"-----BEGIN")
    text.seek(0)
    sealstone.decrypt_stream(text, back, identities=IDENTITY)
    assert back.getvalue() == data
    with pytest.raises(errors.NotSeekable, match="decrypt_stream"):
        sealstone.open(text, identities=IDENTITY)


def test_armour_is_read_as_mail_and_editors_leave_it() -> None:
    text = sealstone.encrypt(b"attack at dawn", recipients=RECIPIENT, armour=True)
    for before in (b"", b"\xef\xbb\xbf", b"Hi!\r\n\r\n", b"\n" * 60_000):
        mail = before + text.replace(b"\n", b" \r\n\t") + b"\r\n-- \r\nAlice"
        back = io.BytesIO()
        sealstone.decrypt_stream(io.BytesIO(mail), back, identities=IDENTITY)
        assert back.getvalue() == sealstone.decrypt(mail, identities=IDENTITY) == b"attack at dawn"
        assert sealstone.inspect(mail).armoured
        with pytest.raises(errors.NotSeekable, match="decrypt_stream"):
            sealstone.open(io.BytesIO(mail), identities=IDENTITY)
    utf16 = text.decode().encode("utf-16")
    for other, error in ((b"> " + text, errors.NotSealstone), (utf16, errors.MalformedArmour)):
        with pytest.raises(error):
            sealstone.decrypt(other, identities=IDENTITY)
        with pytest.raises(error):
            sealstone.decrypt_stream(io.BytesIO(other), io.BytesIO(), identities=IDENTITY)


def test_wrong_use() -> None:
    file = io.BytesIO(sealed(b"attack"))
    for mode in ("a", "r+", "w+", "rbt", "q", "ab", ""):
        with pytest.raises(ValueError, match="mode"):
            sealstone.open(file, mode, identities=IDENTITY)
    with pytest.raises(ValueError, match="text"):
        sealstone.open(file, "rb", encoding="utf-8", identities=IDENTITY)
    with pytest.raises(TypeError):
        sealstone.open(file, recipients=RECIPIENT)
    with pytest.raises(TypeError):
        sealstone.open(file, "wb", identities=IDENTITY)
    with sealstone.open(file, identities=IDENTITY) as opened:
        assert opened.readable() and opened.seekable() and not opened.writable()
        with pytest.raises(io.UnsupportedOperation):
            opened.write(b"x")
    with pytest.raises(ValueError, match="closed"):
        opened.read()
    assert not file.closed
    with pytest.raises(FileNotFoundError):
        sealstone.open("/nonexistent/file", identities=IDENTITY)


def test_threads_that_read_one_file_each_get_what_is_at_its_place(tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    path = tmp_path / "film.seal"
    path.write_bytes(sealed(data))
    faults = []

    def read(seed: int) -> None:
        chosen = random.Random(seed)
        with sealstone.open(path, identities=IDENTITY) as file:
            for _ in range(50):
                at = chosen.randrange(len(data))
                file.seek(at)
                if file.read(10_000) != data[at : at + 10_000]:
                    faults.append(at)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
