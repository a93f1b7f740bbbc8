"""Secrets by the names of their providers."""

import itertools
import multiprocessing
import os
import pickle
import sys
import threading
import time
from pathlib import Path

import pytest
import sealstone
from sealstone import errors, providers
from victims import until

IDENTITY = sealstone.generate_identity("x25519")
TEXT = str(sealstone.export_identity(IDENTITY))
FILE = sealstone.encrypt(b"attack at dawn", recipients=sealstone.recipient_of(IDENTITY))
SECRET = "correct horse battery staple"

calls: list[str] = []


def identity() -> sealstone.Identity:
    calls.append("identity")
    return IDENTITY


def several() -> list[sealstone.Identity]:
    return [sealstone.generate_identity("x25519"), IDENTITY]


def text() -> str:
    return f"# of a KMS\n{TEXT}\n"


def number() -> int:
    return 7


def numbers() -> list[int]:
    return [7]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """This module by a name that a provider can have, and nothing kept from another test."""
    monkeypatch.setitem(sys.modules, "kms", sys.modules[__name__])
    monkeypatch.setattr(providers, "_answers", {})
    calls.clear()


def opens(provider: str) -> bool:
    return sealstone.decrypt(FILE, identities=providers.identities(provider)) == b"attack at dawn"


def test_a_file_a_variable_a_program_and_a_function_give_identities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my key.txt"
    path.write_text(f"# made today\n{TEXT}\n")
    monkeypatch.setenv("IDENTITY", TEXT)
    assert opens(f"file:{path}")
    assert opens("env:IDENTITY")
    assert opens(f"exec:cat '{path}'")
    assert opens("kms:identity")
    assert opens("kms:several")
    assert opens("kms:text")
    assert len(providers.identities("kms:several")) == 2


def test_a_passphrase_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "passphrase"
    file = sealstone.encrypt(b"attack at dawn", passphrase=SECRET)
    for ending in ("", "\n", "\r\n"):
        monkeypatch.setattr(providers, "_answers", {})
        path.write_bytes(f"{SECRET}{ending}".encode())
        assert sealstone.decrypt(file, identities=providers.passphrase(f"file:{path}")) == b"attack at dawn"
    path.write_text(f"{SECRET}\nand more\n")
    monkeypatch.setattr(providers, "_answers", {})
    with pytest.raises(ValueError, match="one line") as raised:
        providers.passphrase(f"file:{path}")
    assert "horse" not in str(raised.value)


def test_a_key_is_its_bytes_or_a_file_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = bytes(range(32))
    file = sealstone.encrypt(b"attack at dawn", key=key)
    (tmp_path / "raw").write_bytes(key)
    exported = str(sealstone.export_identity(sealstone.identity_from_key(key)))
    (tmp_path / "text").write_text(f"{exported}\n")
    for name in ("raw", "text"):
        found = providers.key(f"file:{tmp_path / name}")
        assert sealstone.decrypt(file, identities=found) == b"attack at dawn"
    monkeypatch.setenv("IDENTITY", TEXT)
    with pytest.raises(ValueError, match="kind x25519"):
        providers.key("env:IDENTITY")


def test_an_answer_is_kept_for_fifteen_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    for _ in range(3):
        providers.identities("kms:identity")
    assert len(calls) == 1
    now += 15 * 60 - 1
    providers.identities("kms:identity")
    assert len(calls) == 1
    now += 2
    providers.identities("kms:identity")
    assert len(calls) == 2


def test_an_answer_is_of_the_folder_in_which_it_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, key in (("alice", IDENTITY), ("bob", sealstone.generate_identity("x25519"))):
        (tmp_path / name).mkdir()
        sealstone.write_identity(key, tmp_path / name / "id.txt")
    monkeypatch.chdir(tmp_path / "alice")
    assert opens("file:id.txt")
    monkeypatch.chdir(tmp_path / "bob")
    with pytest.raises(errors.NoMatchingIdentity):
        opens("file:id.txt")


def test_threads_that_ask_together_ask_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted:
        """The lock of providers, and how many came to it."""

        def __init__(self) -> None:
            self.came = itertools.count()
            self.seen = 0
            self._lock = threading.RLock()

        def __enter__(self) -> None:
            self.seen = next(self.came) + 1
            self._lock.acquire()

        def __exit__(self, *_: object) -> None:
            self._lock.release()

    lock = Counted()

    def slow() -> str:
        calls.append("slow")
        until(lambda: lock.seen == 8, "all ask")
        return TEXT

    monkeypatch.setattr(providers, "_lock", lock)
    monkeypatch.setattr(sys.modules["kms"], "slow", slow, raising=False)
    threads = [threading.Thread(target=providers.identities, args=("kms:slow",)) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert calls == ["slow"]


def test_a_failure_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IDENTITY", raising=False)
    with pytest.raises(ValueError, match="IDENTITY is not set"):
        providers.identities("env:IDENTITY")
    monkeypatch.setenv("IDENTITY", TEXT)
    assert opens("env:IDENTITY")


def test_a_forked_process_asks_though_a_thread_was_asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDENTITY", TEXT)
    held, release = threading.Event(), threading.Event()

    def wait() -> str:
        held.set()
        release.wait()
        return TEXT

    monkeypatch.setattr(sys.modules["kms"], "wait", wait, raising=False)
    asking = threading.Thread(target=providers.identities, args=("kms:wait",))
    asking.start()
    held.wait()
    child = multiprocessing.get_context("fork").Process(target=providers.identities, args=("env:IDENTITY",))
    child.start()
    try:
        until(lambda: child.exitcode is not None, "the child ends")
        assert child.exitcode == 0
    finally:
        child.kill()
        release.set()
        asking.join()


@pytest.mark.parametrize(
    "secret",
    [
        TEXT,
        f"env:{TEXT}",
        SECRET,
        "",
        "file:",
        "env:",
        "exec:",
        "https://kms.example/key",
        "correct-horse:battery",
        "a.b",
        f" {TEXT}",
    ],
)
def test_what_is_no_provider_is_refused_and_not_repeated(secret: str) -> None:
    for ask in (providers.check, providers.identities, providers.passphrase, providers.key):
        with pytest.raises(ValueError, match="named by its provider") as raised:
            ask(secret)
        assert len(secret) < 6 or secret not in repr(raised.value)


def test_failures_do_not_repeat_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = TEXT[:-1] + ("A" if TEXT[-1] != "A" else "C")
    monkeypatch.setenv("DAMAGED", damaged)
    with pytest.raises(errors.InvalidIdentity) as raised:
        providers.identities("env:DAMAGED")
    assert TEXT[20:40] not in repr(raised.value)
    monkeypatch.setitem(os.environb, b"NO_TEXT", b"\xff" + SECRET.encode())  # type: ignore[misc]
    for ask in (providers.identities, providers.passphrase, providers.key):
        with pytest.raises(errors.Error) as failed:
            ask("env:NO_TEXT")
        chain: BaseException | None = failed.value
        while chain is not None:
            assert "horse" not in repr(chain)
            chain = chain.__context__
    with pytest.raises(ValueError, match="not there") as absent:
        providers.passphrase("correct:horse")
    assert "horse" not in repr(absent.value)
    assert absent.value.__context__ is None
    with pytest.raises(ValueError, match="not there: its module has no such function"):
        providers.identities("kms:absent")
    with pytest.raises(ValueError, match="not there: its module is not on this process's path"):
        providers.identities("nowhere:identity")
    monkeypatch.setattr(sys.modules["kms"], "nothing", lambda: None, raising=False)
    with pytest.raises(TypeError, match="returns an Identity"):
        providers.identities("kms:nothing")


def test_programs_that_fail_or_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChildProcessError, match="false ended with status 1"):
        providers.identities("exec:false")
    with pytest.raises(FileNotFoundError):
        providers.identities("exec:/nowhere/program")
    with pytest.raises(FileNotFoundError):
        providers.identities(f"file:{tmp_path}/absent")
    os.mkfifo(tmp_path / "never")
    with monkeypatch.context() as impatient, pytest.raises(TimeoutError) as raised:
        impatient.setattr(providers, "_PATIENCE", 0.2)
        providers.identities(f"exec:sh -c 'echo {TEXT}; exec cat {tmp_path}/never'")
    assert raised.value.__cause__ is None
    # No shell runs.
    with pytest.raises(errors.InvalidIdentity):
        providers.identities(f"exec:echo {TEXT}; true")


def test_a_module_that_lacks_a_module_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "of_a_cloud.py").write_text("import absent_sdk\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="absent_sdk"):
        providers.identities("of_a_cloud:identity")


@pytest.mark.parametrize("function", ["number", "numbers"])
def test_a_function_returns_what_it_must(function: str) -> None:
    with pytest.raises(TypeError):
        providers.identities(f"kms:{function}")


def test_what_a_provider_gives_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDENTITY", TEXT)
    [found] = providers.identities("env:IDENTITY")
    with pytest.raises(TypeError):
        pickle.dumps(found)
    # The list is the caller's.
    providers.identities("env:IDENTITY").clear()
    assert opens("env:IDENTITY")
