"""Identities and recipients."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sealstone
from sealstone import errors, exchange, jobs, rsa, sign, signature, sm2
from sealstone.fs import SealedFileSystem
from sealstone.parquet import kms_client

TEXT = str(sealstone.export_identity(sealstone.generate_identity("x25519")))
KINDS = ("hybrid", "x25519", "p256", "ml-kem-768", "sm2", "key")


@pytest.mark.parametrize("kind", KINDS)
def test_a_generated_key_opens_what_its_recipient_seals(kind: str) -> None:
    identity = sealstone.generate_identity(kind)
    recipient = sealstone.recipient_of(identity)
    assert (identity.kind, recipient.kind) == (kind, kind)
    file = sealstone.encrypt(b"attack at dawn", recipients=recipient)
    assert sealstone.decrypt(file, identities=[identity]) == b"attack at dawn"


def test_the_default_kind_is_hybrid() -> None:
    assert sealstone.generate_identity().kind == "hybrid"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["age", "pem", "der", "jwk", "hex"])
def test_every_form_that_a_kind_has_is_read_again(kind: str, form: str) -> None:
    identity = sealstone.generate_identity(kind)
    recipient = sealstone.recipient_of(identity)
    file = sealstone.encrypt(b"attack at dawn", recipients=recipient)
    try:
        private = sealstone.export_identity(identity, form)
    except errors.UnsupportedKey:
        with pytest.raises(errors.UnsupportedKey):
            sealstone.export_recipient(recipient, form)
        return
    assert isinstance(private, bytes if form == "der" else str)
    assert sealstone.decrypt(file, identities=sealstone.import_identity(private)) == b"attack at dawn"
    if kind == "key":
        with pytest.raises(errors.UnsupportedKey):
            sealstone.export_recipient(recipient, form)
        return
    again = sealstone.import_recipient(sealstone.export_recipient(recipient, form))
    assert again == recipient
    assert hash(again) == hash(recipient)
    assert again.fingerprint == recipient.fingerprint


def test_a_pem_may_have_a_passphrase() -> None:
    identity = sealstone.generate_identity("x25519")
    pem = sealstone.export_identity(identity, "pem", passphrase="correct horse")
    with pytest.raises(errors.PassphraseRequired):
        sealstone.import_identity(pem)
    read = sealstone.import_identity(pem, passphrase="correct horse")
    assert sealstone.recipient_of(read) == sealstone.recipient_of(identity)


def test_a_sealed_file_of_keys_is_read_with_its_passphrase() -> None:
    identity = sealstone.generate_identity()
    file = sealstone.encrypt(sealstone.export_identity(identity).encode(), passphrase="correct horse")
    with pytest.raises(errors.PassphraseRequired):
        sealstone.import_identity(file)
    read = sealstone.import_identity(file, passphrase="correct horse")
    assert sealstone.recipient_of(read) == sealstone.recipient_of(identity)


@pytest.mark.parametrize(("form", "passphrase"), [("age", None), ("pem", "correct horse"), ("der", None)])
def test_a_key_is_written_for_its_owner_alone(tmp_path: Path, form: str, passphrase: str | None) -> None:
    identity, path = sealstone.generate_identity("x25519"), tmp_path / "key"
    sealstone.write_identity(identity, path, form, passphrase=passphrase)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    read = sealstone.import_identity(before, passphrase=passphrase)
    assert sealstone.recipient_of(read) == sealstone.recipient_of(identity)
    with pytest.raises(errors.OutputExists):
        sealstone.write_identity(sealstone.generate_identity(), path)
    assert path.read_bytes() == before


def test_a_key_that_does_not_fit_leaves_no_file(tmp_path: Path) -> None:
    program = (
        "import resource, sealstone\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "sealstone.write_identity(sealstone.generate_identity(), 'key')"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert "File too large" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_keys_may_have_several() -> None:
    texts = [sealstone.export_identity(sealstone.generate_identity("x25519")) for _ in range(3)]
    file = "# my keys\n" + "\n".join(texts)
    assert len(sealstone.import_identities(file)) == 3
    with pytest.raises(errors.InvalidIdentity, match="there are 3"):
        sealstone.import_identity(file)


def test_recipients_and_identities_may_be_text() -> None:
    identity = sealstone.generate_identity()
    recipient = str(sealstone.recipient_of(identity))
    assert recipient.startswith("age1pq1")
    file = sealstone.encrypt(b"x", recipients=[recipient])
    assert sealstone.decrypt(file, identities=sealstone.export_identity(identity)) == b"x"


def test_a_place_is_taken_wherever_a_key_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    identity, other = sealstone.generate_identity(), sealstone.generate_identity()
    sealstone.write_identity(identity, tmp_path / "id.txt")
    (tmp_path / "alice.pub").write_text(f"# alice\n{sealstone.recipient_of(identity)}\n")
    monkeypatch.setenv("ALICE", str(sealstone.recipient_of(other)))
    monkeypatch.setenv("ID", str(sealstone.export_identity(other)))
    here, there = (f"file:{tmp_path}/alice.pub", f"file:{tmp_path}/id.txt"), ("env:ALICE", "env:ID")
    for recipients, identities in (here, there):
        file = sealstone.encrypt(b"x", recipients=[recipients])
        assert sealstone.decrypt(file, identities=identities) == b"x"
        with sealstone.open(tmp_path / "x.seal", "wb", recipients=recipients) as writer:
            writer.write(b"x")
        with sealstone.open(tmp_path / "x.seal", identities=[identities]) as reader:
            assert reader.read() == b"x"
    moved = sealstone.rewrap(file, identities=there[1], recipients=here[0], replace=True)
    assert sealstone.decrypt(moved, identities=here[1]) == b"x"
    # Public keys are read each time.
    (tmp_path / "alice.pub").write_text(str(sealstone.recipient_of(other)))
    assert sealstone.decrypt(sealstone.encrypt(b"x", recipients=here[0]), identities=other) == b"x"


def test_files_of_keys_are_read_by_their_names(tmp_path: Path) -> None:
    identities = [sealstone.generate_identity("x25519") for _ in range(2)]
    recipients = [sealstone.recipient_of(one) for one in identities]
    path = tmp_path / "key"
    for form, passphrase in (("age", None), ("pem", "correct horse"), ("der", None)):
        sealstone.write_identity(identities[0], path, form, passphrase=passphrase)
        read = sealstone.read_identity(path, passphrase=passphrase)
        assert sealstone.recipient_of(read) == recipients[0]
        with pytest.raises(errors.InvalidRecipient, match=f"{path}.*this is a (private|secret) key"):
            sealstone.read_recipients(path)
        path.unlink()
    path.write_text("\n".join(map(str, recipients)))
    assert sealstone.read_recipients(path) == recipients
    with pytest.raises(errors.InvalidIdentity, match=f"{path}.*recipient"):
        sealstone.read_identity(path)
    for read_file in (sealstone.read_identity, sealstone.read_recipients):
        with pytest.raises(FileNotFoundError):
            read_file(tmp_path / "absent")


@pytest.mark.parametrize(
    "name", ["alice.pub", "keys/identity.txt", "/etc/keys/id", "./id", Path("my-key"), TEXT + ".pem"], ids=range(6)
)
def test_the_name_of_a_file_in_the_place_of_a_key_is_told_and_not_repeated(name: Any, tmp_path: Path) -> None:
    uses: list[Any] = [
        lambda: sealstone.encrypt(b"", recipients=name),
        lambda: sealstone.encrypt(b"", recipients=[name]),
        lambda: sealstone.decrypt(b"", identities=name),
        lambda: sealstone.open(tmp_path / "x", identities=[name]),
        lambda: SealedFileSystem("memory", identities=name),
        lambda: jobs.verify("src", identities=name, manifest="job"),
        lambda: jobs.encrypt("src", "x", recipients=name, manifest="job"),
        lambda: kms_client(identities=name),
    ]
    if isinstance(name, str):
        uses += [
            lambda: sealstone.import_identity(name),
            lambda: sealstone.import_recipient(name),
            lambda: sign.import_private_key(name),
            lambda: sign.import_public_key(name),
            lambda: exchange.import_public_key(name),
            lambda: rsa.import_private_key(name),
            lambda: sm2.import_private_key(name),
            lambda: signature.verify(b"", "", name),
        ]
    for use in uses:
        with pytest.raises((ValueError, TypeError), match="looks like the name of a file") as caught:
            use()
        assert str(name) not in str(caught.value)


@pytest.mark.parametrize("text", ["exec:cat id.txt", "kms:identity", "correct:horse"])
def test_text_runs_nothing_where_a_key_is_read(text: str) -> None:
    for use in (lambda: sealstone.decrypt(b"", identities=text), lambda: sealstone.encrypt(b"", recipients=[text])):
        with pytest.raises(ValueError, match=r"only `sealstone\.providers` takes keys") as caught:
            use()
        assert text not in str(caught.value)


def test_secrets_show_nothing_and_stay() -> None:
    identity = sealstone.generate_identity()
    secret = sealstone.recipient_of(sealstone.generate_identity("key"))
    chunked = sealstone.ChunkedKey("aes-256-gcm", bytes(32))
    assert repr(identity) == "Identity(hybrid)"
    assert str(identity) == "Identity(hybrid)"
    assert str(secret) == "Recipient(key)"
    for key in (identity, secret, chunked, sealstone.recipient_of(sealstone.identity_from_passphrase("pass"))):
        for take in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="stays in its process"):
                take(key)


def test_a_recipient_is_pickled_as_text() -> None:
    for kind in ("hybrid", "x25519", "p256", "sm2"):
        recipient = sealstone.recipient_of(sealstone.generate_identity(kind))
        assert pickle.loads(pickle.dumps(recipient)) == recipient
        assert copy.deepcopy(recipient) == recipient
        assert {recipient: 1}[pickle.loads(pickle.dumps(recipient))] == 1
    assert sealstone.recipient_of(sealstone.generate_identity()) != recipient


def test_a_destroyed_key_does_nothing() -> None:
    identity = sealstone.generate_identity()
    identity.destroy()
    identity.destroy()
    assert repr(identity) == "Identity(destroyed)"
    for use in (
        lambda: identity.kind,
        lambda: sealstone.recipient_of(identity),
        lambda: sealstone.export_identity(identity),
        lambda: sealstone.decrypt(b"", identities=identity),
    ):
        with pytest.raises(ValueError, match="destroyed"):
            use()


@pytest.mark.parametrize(
    ("wrong", "error", "code"),
    [
        (lambda: sealstone.generate_identity("rot13"), errors.UnknownAlgorithm, "unknown_algorithm"),
        (lambda: sealstone.import_identity("AGE-SECRET-KEY-1"), errors.InvalidIdentity, "invalid_identity"),
        (lambda: sealstone.import_recipient("age1xyz"), errors.InvalidRecipient, "invalid_recipient"),
        (lambda: sealstone.identity_from_passphrase(""), errors.InvalidPassphrase, "invalid_passphrase"),
        (lambda: sealstone.identity_from_key(b"short"), errors.WrongLength, "wrong_length"),
    ],
)
def test_a_wrong_value_has_its_code(wrong, error, code) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError) as caught:
        wrong()
    assert isinstance(caught.value, error)
    assert isinstance(caught.value, sealstone.Error)
    assert caught.value.code == code


def test_wrong_types_are_type_errors() -> None:
    for wrong in (
        lambda: sealstone.recipient_of("age1"),  # type: ignore[arg-type]
        lambda: sealstone.encrypt(b"", recipients=[3]),  # type: ignore[list-item]
        lambda: sealstone.encrypt("text", recipients=sealstone.recipient_of(sealstone.generate_identity())),  # type: ignore[arg-type]
        lambda: sealstone.encrypt(b"", recipient="age1"),  # type: ignore[call-arg]
        lambda: sealstone.decrypt(b""),
        lambda: sealstone.import_identity(3),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError):
            wrong()


def test_the_half_of_the_other_kind_is_told() -> None:
    identity = sealstone.generate_identity("x25519")
    with pytest.raises(TypeError, match="a recipient is a Recipient or its text, not 'Identity'"):
        sealstone.encrypt(b"", recipients=identity)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an identity is an Identity or its text, not 'Recipient'"):
        sealstone.decrypt(b"", identities=sealstone.recipient_of(identity))  # type: ignore[arg-type]
