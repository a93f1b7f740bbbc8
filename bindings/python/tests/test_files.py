"""Files by name, and processes: signals, forks, threads, the command line."""

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sealstone
from sealstone import errors, exchange, sign
from victims import until, with_open

IDENTITY = sealstone.generate_identity()
RECIPIENT = sealstone.recipient_of(IDENTITY)


def listed(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_a_file_goes_round(tmp_path: Path) -> None:
    data = os.urandom(5_000_000)
    film = tmp_path / "film"
    film.write_bytes(data)
    told: list[sealstone.Progress] = []
    done = sealstone.encrypt_file(film, tmp_path / "film.seal", recipients=RECIPIENT, on_progress=told.append)
    assert done == (len(data), (tmp_path / "film.seal").stat().st_size)
    assert told[-1].bytes == len(data)
    # A path is text, bytes or a Path.
    for path in (str(tmp_path / "film.seal"), os.fsencode(tmp_path / "film.seal"), tmp_path / "film.seal"):
        assert sealstone.verify_file(path, identities=IDENTITY) == done
        assert sealstone.inspect_file(path).plaintext_len == len(data)
        assert (
            sealstone.decrypt_range_file(path, 4_000_000, 4_000_100, identities=IDENTITY) == data[4_000_000:4_000_100]
        )
    assert sealstone.decrypt_file(tmp_path / "film.seal", tmp_path / "copy", identities=IDENTITY) == done
    assert (tmp_path / "copy").read_bytes() == data
    other = sealstone.generate_identity()
    sealstone.rewrap_file(
        tmp_path / "film.seal", identities=IDENTITY, recipients=sealstone.recipient_of(other), replace=True
    )
    assert sealstone.verify_file(tmp_path / "film.seal", identities=other).plaintext == len(data)
    with pytest.raises(errors.NoMatchingIdentity):
        sealstone.verify_file(tmp_path / "film.seal", identities=IDENTITY)


def test_a_file_with_other_names_is_rewrapped_under_this_one_alone_and_when_asked(tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(b"action")
    path, hard, link = tmp_path / "film.seal", tmp_path / "hard", tmp_path / "link"
    sealstone.encrypt_file(tmp_path / "film", path, recipients=RECIPIENT)
    hard.hardlink_to(path)
    link.symlink_to(path)
    before = path.read_bytes()
    other = sealstone.generate_identity()

    def rewrapped(file: Path, **options: bool) -> sealstone.Processed:
        recipient = sealstone.recipient_of(other)
        return sealstone.rewrap_file(file, identities=IDENTITY, recipients=recipient, replace=True, **options)

    for file in (path, hard):
        with pytest.raises(errors.HardLinks) as caught:
            rewrapped(file)
        assert isinstance(caught.value, OSError)
        assert str(caught.value) == f"{file} has other names (hard links), which would keep the old content"
    for split in (False, True):
        with pytest.raises(errors.NotRegularFile) as refused:
            rewrapped(link, split_links=split)
        assert str(refused.value) == f"{link} is a symbolic link, not a regular file"
    assert path.samefile(hard)
    assert link.readlink() == path
    assert path.read_bytes() == before
    rewrapped(path, split_links=True)
    assert sealstone.verify_file(path, identities=other).plaintext == len(b"action")
    assert hard.read_bytes() == before
    assert listed(tmp_path) == ["film", "film.seal", "hard", "link"]


def test_outputs_appear_complete_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(bytes(100_000))
    sealstone.encrypt_file(tmp_path / "film", tmp_path / "film.seal", recipients=RECIPIENT)
    before = (tmp_path / "film.seal").read_bytes()
    with pytest.raises(FileExistsError) as caught:
        sealstone.encrypt_file(tmp_path / "film", tmp_path / "film.seal", recipients=RECIPIENT)
    assert isinstance(caught.value, errors.OutputExists)
    assert (tmp_path / "film.seal").read_bytes() == before
    sealstone.encrypt_file(tmp_path / "film", tmp_path / "film.seal", recipients=RECIPIENT, replace=True)
    with pytest.raises(errors.SameFile):
        sealstone.encrypt_file(tmp_path / "film", tmp_path / "film", recipients=RECIPIENT, replace=True)
    damaged = bytearray((tmp_path / "film.seal").read_bytes())
    damaged[-50_000] ^= 1
    (tmp_path / "bad.seal").write_bytes(damaged)
    with pytest.raises(errors.NotAuthentic):
        sealstone.decrypt_file(tmp_path / "bad.seal", tmp_path / "out", identities=IDENTITY)

    def stop(progress: sealstone.Progress) -> None:
        raise RuntimeError("enough")

    with open(tmp_path / "large", "wb") as large:
        large.truncate(2 << 30)
    with pytest.raises(RuntimeError, match="enough"):
        sealstone.encrypt_file(tmp_path / "large", tmp_path / "out", recipients=RECIPIENT, on_progress=stop)
    assert listed(tmp_path) == ["bad.seal", "film", "film.seal", "large"]


def test_what_is_no_file(tmp_path: Path) -> None:
    for error, use in (
        (FileNotFoundError, lambda: sealstone.verify_file(tmp_path / "none", identities=IDENTITY)),
        (OSError, lambda: sealstone.encrypt_file(tmp_path, tmp_path / "out", recipients=RECIPIENT)),
        (FileNotFoundError, lambda: sealstone.inspect_file(tmp_path / "none")),
    ):
        with pytest.raises(error) as caught:
            use()
        assert isinstance(caught.value, sealstone.Error)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(errors.NotRegularFile):
        sealstone.encrypt_file(tmp_path / "fifo", tmp_path / "out", recipients=RECIPIENT)
    with pytest.raises(errors.NotSealstone):
        sealstone.verify_file(sys.executable, identities=IDENTITY)


def test_other_threads_run_meanwhile(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    # It writes only once the other end is open, which is in the call, and the call ends only when it has written.
    writer = threading.Thread(target=lambda: (tmp_path / "fifo").write_bytes(bytes(1 << 20)))
    writer.start()
    sealstone.encrypt_file(tmp_path / "fifo", tmp_path / "out", recipients=RECIPIENT, allow_special=True)
    writer.join()
    assert sealstone.decrypt((tmp_path / "out").read_bytes(), identities=IDENTITY) == bytes(1 << 20)


def test_many_threads_share_keys() -> None:
    with ThreadPoolExecutor(8) as pool:
        files = list(pool.map(lambda i: sealstone.encrypt(b"%d" % i, recipients=RECIPIENT), range(400)))
        opened = list(pool.map(lambda file: sealstone.decrypt(file, identities=IDENTITY), files))
    assert opened == [b"%d" % i for i in range(400)]


def in_a_child(data: bytes) -> int:
    file = sealstone.encrypt(data, recipients=RECIPIENT)
    assert sealstone.decrypt(file, identities=IDENTITY) == data
    return len(file)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_forked_process_works(method: str) -> None:
    # Threads were at work here before.
    in_a_child(bytes(8_000_000))
    with multiprocessing.get_context(method).Pool(2) as pool:
        lengths = pool.map(in_a_child if method == "fork" else len, [bytes(4_000_000)] * 4)
    assert len(set(lengths)) == 1


@pytest.mark.parametrize("mode", ["wb", "wt"])
def test_a_fork_never_writes_to_a_file_that_its_parent_began(tmp_path: Path, mode: str) -> None:
    parts: tuple[Any, Any] = (b"ours", b"theirs") if mode == "wb" else ("ours", "theirs")
    with sealstone.open(tmp_path / "file", mode, recipients=RECIPIENT) as file:
        file.write(parts[0])
        child = os.fork()
        if child == 0:
            refused = 0
            for use in (lambda: (file.write(parts[1] * 1_000_000), file.flush()), file.close):
                try:
                    use()
                except ValueError:
                    refused += 1
            # Objects that the child drops are not the parent's either.
            file = None
            gc.collect()
            os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
        file.write(parts[0])
    assert sealstone.decrypt((tmp_path / "file").read_bytes(), identities=IDENTITY) == b"oursours"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


ML_KEM = exchange.generate_key("ml-kem-768").public_key
P256 = sign.generate_key("p256-sign")


def drawn() -> tuple[object, ...]:
    """Values of the system's randomness, and of AWS-LC's generator, which lies in the process."""
    file = sealstone.encrypt(b"", recipients=RECIPIENT)
    fingerprint = sealstone.recipient_of(sealstone.generate_identity()).fingerprint
    return file, fingerprint, ML_KEM.encapsulate().secret, P256.sign(b"")


def test_processes_of_a_fork_draw_other_randomness() -> None:
    drawn()
    fork = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()
    children = [fork.Process(target=lambda: results.put(drawn())) for _ in range(2)]
    for child in children:
        child.start()
    draws = [drawn(), *(results.get() for _ in children)]
    for child in children:
        child.join()
    for same in zip(*draws, strict=True):
        assert len(set(same)) == len(draws)


def test_ctrl_c_ends_the_work_and_leaves_nothing(tmp_path: Path) -> None:
    with open(tmp_path / "large", "wb") as large:
        large.truncate(1 << 40)
    os.mkfifo(tmp_path / "fifo")
    for work in (
        'sealstone.encrypt_file("large", "/dev/null", recipients=r, replace=True, allow_special=True)',
        'sealstone.encrypt_file("fifo", "out", recipients=r, allow_special=True)',
        'sealstone.verify_file("fifo", passphrase="correct horse", allow_special=True)',
    ):
        script = f"""
            import sealstone, signal
            # It is ignored where the tests run in the background of a shell.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            r = sealstone.recipient_of(sealstone.generate_identity())
            try:
                {work}
            except KeyboardInterrupt:
                print("ended", flush=True)
        """
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], cwd=tmp_path, stdout=subprocess.PIPE, text=True
        ) as child:
            assert child.stdout is not None
            given = str(tmp_path / ("large" if "large" in work else "fifo"))
            until(lambda given=given: with_open(lambda name: name == given), f"{given} is read")  # type: ignore[misc]
            child.send_signal(signal.SIGINT)
            assert child.stdout.read() == "ended\n"
            assert child.wait() == 0
    assert listed(tmp_path) == ["fifo", "large"]


def test_a_long_file_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    script = """
        import resource, sys, sealstone
        key = bytes(32)
        encryption = {"key": key, "threads": 2}

        def work(path):
            sealstone.encrypt_file(path, "/dev/null", replace=True, allow_special=True, **encryption)
            with open(path, "rb") as source, open("/dev/null", "wb") as target:
                sealstone.encrypt_stream(source, target, **encryption)

        # A short one takes what it takes; a long one has 32 MiB more.
        work(sys.argv[1])
        with open("/proc/self/status") as status:
            [used] = [int(line.split()[1]) << 10 for line in status if line.startswith("VmData:")]
        resource.setrlimit(resource.RLIMIT_DATA, (used + (32 << 20),) * 2)
        work(sys.argv[2])
        try:
            bytes(64 << 20)
        except MemoryError:
            print("bounded")
    """
    for name, length in (("short", 64 << 20), ("long", 1 << 30)):
        with open(tmp_path / name, "wb") as file:
            file.truncate(length)
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "short"), str(tmp_path / "long")]
    assert subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout == b"bounded\n"


def test_the_command_line_reads_and_writes_the_same(tmp_path: Path, cli: str) -> None:
    data = os.urandom(100_000)
    (tmp_path / "film").write_bytes(data)
    (tmp_path / "id").write_text(sealstone.export_identity(IDENTITY))
    sealstone.encrypt_file(tmp_path / "film", tmp_path / "film.seal", recipients=RECIPIENT)
    subprocess.run([cli, "decrypt", "-i", "id", "-o", "copy", "film.seal"], cwd=tmp_path, check=True)
    assert (tmp_path / "copy").read_bytes() == data
    subprocess.run([cli, "encrypt", "-r", str(RECIPIENT), "-o", "theirs.seal", "film"], cwd=tmp_path, check=True)
    with sealstone.open(tmp_path / "theirs.seal", identities=IDENTITY) as film:
        assert film.read() == data
    subprocess.run(
        [cli, "keygen", "-o", "new"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    identity = sealstone.import_identity((tmp_path / "new").read_bytes())
    sealstone.encrypt_file(tmp_path / "film", tmp_path / "new.seal", recipients=sealstone.recipient_of(identity))
    subprocess.run([cli, "verify", "-i", "new", "new.seal"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
