"""Signature files."""

import hashlib
import io
import json
import os
import re
import subprocess
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import helpers
import pytest
import sealstone
from hypothesis import given
from hypothesis import strategies as st
from sealstone import errors, sign, signature
from sealstone.signature import AllowedSigners, Verified
from test_vectors import Pieces, Vector, all_of

KINDS: list[Any] = ["ed25519", "p256-sign", "ml-dsa-65", "hybrid-sign", "hybrid44-sign", "sm2-sign"]
CONTENT = b"attack at dawn\n"
KEY = sign.generate_key("ed25519")
LINE = sign.export_public_key(KEY.public_key, "ssh")


@pytest.mark.parametrize("kind", KINDS)
def test_what_each_kind_signs_it_verifies_in_parts_too(kind: Any) -> None:
    key = sign.generate_key(kind)
    public = key.public_key
    text = signature.sign(CONTENT, key, comment="release 7", namespace="release")
    assert text.startswith("-----BEGIN SSH SIGNATURE-----\n")
    expected = Verified(kind, public.fingerprint, public.ssh_fingerprint, None, "release 7", len(CONTENT))
    contents: list[Callable[[], Any]] = [
        lambda: CONTENT,
        lambda: bytearray(CONTENT),
        lambda: memoryview(CONTENT),
        lambda: io.BytesIO(CONTENT),
        lambda: Pieces(CONTENT, (1,)),
    ]
    for content in contents:
        assert signature.verify(content(), text, public, namespace="release") == expected
        again = signature.sign(content(), key, comment="release 7", namespace="release")
        assert signature.verify(CONTENT, again.encode(), public, namespace="release") == expected
    helpers.refused(errors.InvalidSignature, lambda: signature.verify(b"", text, public, namespace="release"))
    helpers.refused(errors.WrongNamespace, lambda: signature.verify(CONTENT, text, public))
    stranger = sign.generate_key(kind).public_key
    helpers.refused(errors.UnknownSigner, lambda: signature.verify(CONTENT, text, stranger, namespace="release"))
    pem = sign.export_public_key(public)
    several: list[Any] = [[stranger, pem], (pem.encode(),), iter([bytearray(pem.encode())]), {stranger, public}, pem]
    for signers in several:
        assert signature.verify(CONTENT, text, signers, namespace="release").kind == kind


@given(content=st.binary(max_size=10_000), lengths=st.lists(st.integers(1, 5000), min_size=1), at=st.integers(0))
def test_round_trips(content: bytes, lengths: list[int], at: int) -> None:
    text = signature.sign(Pieces(content, tuple(lengths)), KEY)
    assert signature.verify(content, text, KEY.public_key).content_len == len(content)
    damaged = bytearray(content or b"\0")
    damaged[at % len(damaged)] ^= 1 << at % 8
    helpers.refused(errors.InvalidSignature, lambda: signature.verify(damaged, text, KEY.public_key))


def test_files_are_signed_and_verified(tmp_path: Path) -> None:
    file, signed, copy = tmp_path / "film.mkv", tmp_path / "film.signed", tmp_path / "copy.mkv"
    content = os.urandom(3_000_001)
    file.write_bytes(content)
    seen: list[sealstone.Progress] = []
    text = signature.sign_file(file, KEY, comment="a film", on_progress=seen.append)
    assert (seen[-1].bytes, seen[-1].total) == (len(content), len(content))
    assert signature.verify(content, text, KEY.public_key).comment == "a film"
    verified = signature.verify_file(str(file), text, KEY.public_key)
    assert (verified.content_len, verified.fingerprint) == (len(content), KEY.public_key.fingerprint)

    done = signature.attach_file(file, os.fsencode(signed), KEY, namespace="films")
    assert done == (len(content), signed.stat().st_size)
    assert signed.read_bytes().startswith(content)
    assert signature.detach_file(signed, KEY.public_key, namespace="films").content_len == len(content)
    assert not copy.exists()
    signature.detach_file(signed, KEY.public_key, output=copy, namespace="films")
    assert copy.read_bytes() == content

    untyped: Any = signature
    helpers.refused(
        errors.OutputExists,
        lambda: signature.attach_file(file, copy, KEY),
        lambda: signature.detach_file(signed, KEY.public_key, output=copy, namespace="films"),
    )
    signature.detach_file(signed, KEY.public_key, output=copy, namespace="films", replace=True)
    helpers.refused(errors.SameFile, lambda: signature.attach_file(file, file, KEY, replace=True))
    helpers.refused(FileNotFoundError, lambda: signature.sign_file(tmp_path / "none", KEY))
    helpers.refused(errors.Io, lambda: signature.sign_file(tmp_path, KEY))
    helpers.refused(
        TypeError,
        lambda: untyped.sign_file(3, KEY),
        lambda: untyped.verify_file(file, text),
        lambda: untyped.attach_file(file, KEY),
    )
    copy.unlink()
    damaged = bytearray(signed.read_bytes())
    damaged[1_000_000] ^= 1
    signed.write_bytes(damaged)
    helpers.refused(
        errors.InvalidSignature,
        lambda: signature.detach_file(signed, KEY.public_key, namespace="films", output=copy),
        lambda: signature.verify_file(signed, text, KEY.public_key),
    )
    assert not copy.exists()


def test_a_fifo_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    helpers.refused(errors.NotRegularFile, lambda: signature.sign_file(fifo, KEY))
    with subprocess.Popen(["dd", f"of={fifo}", "status=none"], stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        writer.stdin.write(CONTENT)
        writer.stdin.close()
        text = signature.sign_file(fifo, KEY, allow_special=True)
    assert signature.verify(CONTENT, text, KEY.public_key).content_len == len(CONTENT)


def test_much_content_takes_little_memory_and_a_signal_ends_it(tmp_path: Path) -> None:
    class Zeros(io.RawIOBase):
        left = 1 << 28

        def read(self, size: int = -1, /) -> bytes:
            assert 0 < size <= 1 << 20
            part = bytes(min(size, self.left))
            self.left -= len(part)
            return part

    tracemalloc.start()
    try:
        text = signature.sign(Zeros(), KEY)
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()
    assert signature.verify(bytes(1 << 28), text, KEY.public_key).content_len == 1 << 28

    class Enough(Exception):
        pass

    # It has no blocks on the disk.
    with (tmp_path / "long").open("wb") as long:
        long.truncate(1 << 36)
    helpers.interrupted(lambda: signature.sign_file(tmp_path / "long", KEY), Enough)
    helpers.interrupted(lambda: [signature.sign(bytearray(1 << 26), KEY) for _ in range(1000)], Enough)


def test_a_stream_that_has_nothing_yet_is_not_at_its_end() -> None:
    class Waiting(io.RawIOBase):
        def __init__(self) -> None:
            self._parts: list[bytes | None] = [CONTENT, None]

        def read(self, size: int = -1, /) -> bytes | None:
            return self._parts.pop(0)

    text = signature.sign(CONTENT, KEY)
    waiting: Any = Waiting
    helpers.refused(
        BlockingIOError,
        lambda: signature.sign(waiting(), KEY),
        lambda: signature.verify(waiting(), text, KEY.public_key),
    )


def test_a_file_of_allowed_signers_says_who_for_what_and_when() -> None:
    text = signature.sign(CONTENT, KEY)
    allowed = f'alice@example.org,bob@example.org valid-after="20260101Z",valid-before="20270101Z" {LINE}\n'
    at = datetime(2026, 6, 1, tzinfo=UTC)

    def verified(**options: Any) -> Verified:
        signers: dict[str, Any] = {"allowed": allowed, "at": at}
        return signature.verify(CONTENT, text, AllowedSigners(**signers | options))

    assert verified().principals == "alice@example.org,bob@example.org"
    assert verified(allowed=allowed.encode(), principal="bob@example.org").kind == "ed25519"
    # The first second, in another zone.
    verified(at=datetime(2026, 1, 1, 8, tzinfo=timezone(timedelta(hours=8))))
    always = AllowedSigners(f"carol {LINE}")
    assert signature.verify(CONTENT, text, [AllowedSigners(allowed, "dave", at), always]).principals == "carol"
    helpers.refused(
        errors.UnknownSigner,
        lambda: verified(principal="carol@example.org"),
        lambda: verified(at=datetime(2025, 6, 1, tzinfo=UTC)),
        lambda: verified(at=datetime(2025, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    )
    helpers.refused(errors.InvalidSigner, lambda: verified(allowed="alice unknown"))
    helpers.refused(
        ValueError,
        lambda: verified(at=datetime(2026, 6, 1)),
        lambda: verified(at=datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
    )
    helpers.refused(TypeError, lambda: verified(allowed=3), lambda: verified(principal=3))


def test_wrong_uses_have_their_codes() -> None:
    text = signature.sign(CONTENT, KEY)
    untyped: Any = signature
    helpers.refused(errors.InvalidNamespace, lambda: signature.sign(CONTENT, KEY, namespace="a b"))
    helpers.refused(errors.InvalidNamespace, lambda: signature.verify(CONTENT, text, LINE, namespace=""))
    helpers.refused(errors.InvalidComment, lambda: signature.sign(CONTENT, KEY, comment=""))
    helpers.refused(
        errors.NotInProfile,
        lambda: signature.sign(CONTENT, KEY, profile="gm"),
        lambda: signature.verify(CONTENT, text, KEY.public_key, profile="gm"),
    )
    helpers.refused(errors.UnsupportedKey, lambda: signature.sign(CONTENT, sign.generate_key("p384-sign")))
    helpers.refused(
        errors.InvalidSigner,
        lambda: signature.verify(CONTENT, text, []),
        lambda: signature.verify(CONTENT, text, "no key"),
        lambda: signature.verify(CONTENT, text, sign.export_private_key(KEY)),
    )
    helpers.refused(errors.NotASignature, lambda: signature.verify(CONTENT, "no signature", KEY.public_key))
    helpers.refused(
        TypeError,
        lambda: untyped.verify(CONTENT, text, 7),
        lambda: untyped.verify(CONTENT, text, [7]),
        lambda: untyped.verify(CONTENT, text, None),
        lambda: untyped.verify(CONTENT, 7, KEY.public_key),
        lambda: untyped.sign(CONTENT, KEY.public_key),
        lambda: untyped.sign("text", KEY),
        lambda: untyped.sign(io.StringIO("text"), KEY),
        lambda: untyped.sign(CONTENT, KEY, "file"),
    )
    helpers.refused(BufferError, lambda: signature.sign(memoryview(CONTENT)[::2], KEY))
    destroyed = sign.generate_key("ed25519")
    destroyed.destroy()
    helpers.refused(ValueError, lambda: signature.sign(CONTENT, destroyed))


def test_of_a_file_with_lines_the_one_that_is_wrong_is_named() -> None:
    text = signature.sign(CONTENT, KEY)
    cases: list[tuple[Any, type[Exception], str]] = [
        (f"# ours\n{LINE}\nno key\n", errors.InvalidSigner, "^line 3: invalid signer: "),
        (f"{LINE}\n\nssh-rsa AAAAB3NzaC1yc2EAAAADAQAB\n", errors.UnsupportedKey, "^line 3: unsupported "),
        (AllowedSigners(f"alice {LINE}\nbob unknown {LINE}\n"), errors.InvalidSigner, "^line 2: invalid signer: "),
        (AllowedSigners("# nobody\n"), errors.InvalidSigner, "^invalid signer: "),
    ]
    for signers, error, message in cases:
        with pytest.raises(error, match=message):
            signature.verify(CONTENT, text, signers)


def test_a_private_key_of_openssh_signs_files() -> None:
    read = sign.import_private_key(sign.export_private_key(KEY, "ssh"))
    assert signature.verify(CONTENT, signature.sign(CONTENT, read), KEY.public_key).kind == "ed25519"


def detached(vector: Vector) -> list[Callable[[], Verified]]:
    namespace, signers = vector.value("namespace"), vector.values("signer")
    whole = bytes.fromhex(vector.value("content") or "") * int(vector.value("times") or 1)
    return [
        lambda: signature.verify(whole, vector.file, signers, namespace=namespace),
        lambda: signature.verify(Pieces(whole, (1, 9, 70_000)), bytearray(vector.file), signers, namespace=namespace),
    ]


def attached(vector: Vector, folder: Path) -> list[Callable[[], Verified]]:
    namespace, signers = vector.value("namespace"), vector.values("signer")
    file, output = folder / "signed", folder / "content"
    file.write_bytes(vector.file)

    def written() -> Verified:
        output.unlink(missing_ok=True)
        try:
            verified = signature.detach_file(file, signers, output=output, namespace=namespace)
        except errors.Error:
            assert not output.exists()
            raise
        assert hashlib.sha256(output.read_bytes()).hexdigest() == vector.value("released")
        assert verified.content_len == output.stat().st_size
        return verified

    return [lambda: signature.detach_file(file, signers, namespace=namespace), written]


def test_every_vector_of_signature_files_gives_its_verdict(vectors: Path, tmp_path: Path) -> None:
    faults, count, forms = [], 0, {"detached": 0, "attached": 0}
    for vector in all_of(vectors / "signature"):
        count += 1
        form = vector.value("form") or ""
        forms[form] += 1
        expected = vector.value("expect"), vector.value("signed-by"), vector.value("note")
        for way in detached(vector) if form == "detached" else attached(vector, tmp_path):
            by = note = None
            code: str | None = "success"
            try:
                verified = way()
                by, note = f"{verified.kind} {verified.fingerprint}", verified.comment
            except errors.UnknownSigner as error:
                code = error.code
                claimed = re.search(r"[a-z0-9-]+ SHA256:[0-9a-f]{64}", str(error))
                by = claimed and claimed.group()
            except errors.Error as error:
                code = error.code
            if (code, by, note) != expected:
                faults.append(f"{vector.name}: {(code, by, note)} instead of {expected}")
    assert faults == []
    assert count >= 502
    assert min(forms.values()) >= 50


def test_every_file_of_allowed_signers_is_read_as_its_vector_says(vectors: Path) -> None:
    faults, count = [], 0
    for vector in all_of(vectors / "allowed_signers"):
        count += 1
        at = datetime.strptime(vector.value("time") or "", "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
        signers = AllowedSigners(vector.file, vector.value("principal"), at)
        code = "success"
        try:
            # The list is refused before the signature, which is none.
            signature.verify(b"", "no signature", signers, namespace=vector.value("namespace"))
        except errors.Error as error:
            code = error.code
        expected = vector.value("expect")
        if code != ("not_a_signature" if expected == "success" else expected):
            faults.append(f"{vector.name}: {code} instead of {expected}")
    assert faults == []
    assert count >= 139


def test_what_ssh_keygen_signed_is_verified_where_its_kind_is_taken(vectors: Path) -> None:
    known = json.loads((vectors / "compat" / "ssh_keygen.json").read_bytes())
    verdicts = {}
    for name, one in known["signatures"].items():
        signer = known["keys"][one["key"]]["public"] if one["key"] in ("ed25519", "p256") else LINE
        try:
            verified = signature.verify(one["content"].encode(), one["signature"], signer, namespace=one["namespace"])
            assert verified.fingerprint == sign.import_public_key(signer).fingerprint
            verdicts[name] = "success"
        except errors.Error as error:
            verdicts[name] = error.code
    assert verdicts == {
        "ed25519": "success",
        "p256": "success",
        "p384": "unsupported_signature",
        "rsa": "unsupported_signature",
        "ed25519_git_sha256": "success",
        "p256_empty_sha256": "success",
        "ed25519_cert": "unsupported_signature",
    }


@pytest.mark.parametrize("kind", ["ed25519", "p256-sign"])
def test_ssh_keygen_verifies_what_is_signed_here_and_the_other_way(kind: Any, tmp_path: Path) -> None:
    ssh_keygen = helpers.program("ssh-keygen")
    key = sign.generate_key(kind)
    line = sign.export_public_key(key.public_key, "ssh")
    (tmp_path / "key").write_text(sign.export_private_key(key, "ssh"))
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "key.pub").write_text(line)
    (tmp_path / "allowed").write_text(f"alice@example.org {line}\n")
    (tmp_path / "content").write_bytes(CONTENT)
    (tmp_path / "content.sig").write_text(signature.sign_file(tmp_path / "content", key))
    verify = [ssh_keygen, "-Y", "verify", "-f", "allowed", "-I", "alice@example.org", "-n", "file", "-s", "content.sig"]
    for content, status in ((CONTENT, 0), (b"attack at dusk\n", 255)):
        done = subprocess.run(verify, cwd=tmp_path, input=content, capture_output=True)
        assert done.returncode == status, done.stderr
    (tmp_path / "content.sig").unlink()
    subprocess.run([ssh_keygen, "-q", "-Y", "sign", "-f", "key", "-n", "file", "content"], cwd=tmp_path, check=True)
    text = (tmp_path / "content.sig").read_text()
    allowed = AllowedSigners((tmp_path / "allowed").read_text(), principal="alice@example.org")
    assert signature.verify_file(tmp_path / "content", text, allowed).principals == "alice@example.org"
    shown = subprocess.run(
        [ssh_keygen, "-l", "-f", "key.pub"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert key.public_key.ssh_fingerprint in shown.stdout
