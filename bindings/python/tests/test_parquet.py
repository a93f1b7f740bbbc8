"""Parquet's own encryption, with keys that are sealed to recipients."""

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
import sealstone
from helpers import refused
from sealstone import errors
from sealstone.parquet import KmsClient, encryption_configuration, kms_client

IDENTITY = sealstone.generate_identity()
OTHER = sealstone.generate_identity("x25519")
RECIPIENT, OTHER_RECIPIENT = sealstone.recipient_of(IDENTITY), sealstone.recipient_of(OTHER)
TABLE = pa.table({"id": list(range(500)), "ssn": [f"078-05-{i:04}" for i in range(500)]})
KEY = bytes(range(32))


def identity() -> sealstone.Identity:
    return IDENTITY


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "holders_of_parquet", sys.modules[__name__])
    monkeypatch.chdir(tmp_path)


def write(recipients: Any, footer_key: str = "customers", name: str = "t.parquet", **settings: Any) -> None:
    factory = pe.CryptoFactory(kms_client(recipients))
    configuration = encryption_configuration(footer_key, **settings)
    sealing = factory.file_encryption_properties(pe.KmsConnectionConfig(), configuration)
    pq.write_table(TABLE, name, encryption_properties=sealing)


def read(identities: Any, name: str = "t.parquet", **options: Any) -> pa.Table:
    opening = pe.CryptoFactory(kms_client(identities=identities)).file_decryption_properties(pe.KmsConnectionConfig())
    return pq.ParquetFile(name, decryption_properties=opening).read(**options)


@pytest.mark.parametrize("identity", [IDENTITY, OTHER])
def test_a_file_goes_round(identity: sealstone.Identity) -> None:
    write({"customers": sealstone.recipient_of(identity)})
    assert read(identity).equals(TABLE)
    data = Path("t.parquet").read_bytes()
    assert data.startswith(b"PARE")
    assert b"078-05" not in data
    with pytest.raises(OSError, match="no decryption"):
        pq.read_table("t.parquet")


def test_identities_by_name_and_several() -> None:
    write({"customers": str(RECIPIENT)})
    assert read("holders_of_parquet:identity").equals(TABLE)
    assert read([OTHER, "holders_of_parquet:identity"]).equals(TABLE)
    assert read(str(sealstone.export_identity(IDENTITY))).equals(TABLE)


def test_columns_with_keys_of_their_own() -> None:
    write({"table": RECIPIENT, "people": OTHER_RECIPIENT}, "table", column_keys={"people": ["ssn"]})
    assert read([IDENTITY, OTHER]).equals(TABLE)
    # The holder of the footer's key alone reads the other columns.
    assert read(IDENTITY, columns=["id"]).column("id").equals(TABLE.column("id"))
    with pytest.raises(errors.NoMatchingIdentity, match="'people'"):
        read(IDENTITY, columns=["ssn"])


def test_a_dataset_goes_round() -> None:
    factory = pe.CryptoFactory(kms_client({"customers": RECIPIENT}, identities=IDENTITY))
    sealing = ds.ParquetEncryptionConfig(factory, pe.KmsConnectionConfig(), encryption_configuration("customers"))
    options = ds.ParquetFileFormat().make_write_options(encryption_config=sealing)
    ds.write_dataset(
        TABLE, "folder", format="parquet", file_options=options, max_rows_per_group=100, max_rows_per_file=100
    )
    assert len(list(Path("folder").iterdir())) == 5
    opening = ds.ParquetDecryptionConfig(factory, pe.KmsConnectionConfig(), pe.DecryptionConfiguration())
    scanning = ds.ParquetFragmentScanOptions(decryption_config=opening)
    found = ds.dataset("folder", format=ds.ParquetFileFormat(default_fragment_scan_options=scanning)).to_table()
    assert found.sort_by("id").equals(TABLE)


def test_who_is_no_recipient_reads_nothing() -> None:
    write({"customers": RECIPIENT})
    with pytest.raises(errors.NoMatchingIdentity, match="'customers'"):
        read(OTHER)
    with pytest.raises(errors.NotAuthentic, match="'customers'"):
        read(sealstone.generate_identity())
    with pytest.raises(ValueError, match="identities are needed"):
        read(())


def client(recipients: Any = None, identities: Any = ()) -> KmsClient:
    return kms_client(recipients, identities=identities)(pe.KmsConnectionConfig())


def test_a_wrapped_key_is_a_message_in_base64() -> None:
    wrapped = client({"customers": OTHER_RECIPIENT}).wrap_key(KEY, "customers")
    assert len(wrapped) == 112
    assert sealstone.open_message(OTHER, base64.b64decode(wrapped), aad=b"customers") == KEY
    theirs = base64.b64encode(sealstone.seal_message(OTHER_RECIPIENT, KEY, aad=b"customers"))
    assert client(identities=OTHER).unwrap_key(theirs.decode(), "customers") == KEY
    assert len(client({"customers": RECIPIENT}).wrap_key(KEY, "customers")) == 1560


def test_the_command_line_opens_a_wrapped_key(cli: str) -> None:
    wrapped = client({"customers": OTHER_RECIPIENT}).wrap_key(KEY, "customers")
    Path("id").write_text(sealstone.export_identity(OTHER))
    opened = [cli, "message", "open", "-i", "id", "--aad", "customers"]
    assert subprocess.run(opened, input=base64.b64decode(wrapped), capture_output=True, check=True).stdout == KEY
    sealed = [cli, "message", "seal", "-r", str(OTHER_RECIPIENT), "--aad", "customers", "--binary"]
    message = subprocess.run(sealed, input=KEY, capture_output=True, check=True).stdout
    assert client(identities=OTHER).unwrap_key(base64.b64encode(message), "customers") == KEY


def test_a_wrapped_key_belongs_to_its_master_key() -> None:
    both = client({"customers": RECIPIENT, "orders": RECIPIENT}, IDENTITY)
    wrapped = both.wrap_key(KEY, "customers")
    assert both.unwrap_key(wrapped.decode(), "customers") == KEY
    with pytest.raises(errors.NotAuthentic, match="'orders'"):
        both.unwrap_key(wrapped.decode(), "orders")
    for wrong in (wrapped[:-4], b"AAAA" + wrapped[4:], wrapped[:80] + b"AAAA" + wrapped[84:], b"AAAA", b""):
        with pytest.raises(errors.NotAuthentic, match="'customers'"):
            both.unwrap_key(wrong.decode(), "customers")
    with pytest.raises(errors.InvalidEncoding, match="'customers'"):
        both.unwrap_key("no base64!", "customers")


def test_keys_that_change_places_in_a_file_open_nothing() -> None:
    """The master key's id beside a wrapped key is not authenticated by Parquet: the message is bound to it."""
    write({"people": RECIPIENT, "orders": RECIPIENT}, "people")
    data = Path("t.parquet").read_bytes()
    Path("t.parquet").write_bytes(data.replace(b'"people"', b'"orders"'))
    assert data.count(b'"people"') == 1
    with pytest.raises(errors.NotAuthentic, match="'orders'"):
        read(IDENTITY)


def test_a_recipient_has_a_name() -> None:
    with pytest.raises(TypeError, match="stands for a recipient"):
        kms_client(RECIPIENT)  # type: ignore[arg-type]


def test_keys_have_256_bits_and_are_wrapped_once() -> None:
    configuration = encryption_configuration("customers")
    assert (configuration.data_key_length_bits, configuration.double_wrapping) == (256, False)
    assert configuration.uniform_encryption
    other = encryption_configuration("customers", column_keys={"people": ("ssn",)}, plaintext_footer=True)
    assert other.column_keys == {"people": ["ssn"]}
    assert other.plaintext_footer and not other.uniform_encryption
    assert encryption_configuration("customers", column_keys={"people": "ssn"}).column_keys == {"people": ["ssn"]}
    write({"customers": RECIPIENT})
    material = Path("t.parquet").read_bytes().partition(b'{"keyMaterialType"')
    found = json.JSONDecoder().raw_decode((material[1] + material[2]).decode("latin1"))[0]
    assert (found["masterKeyID"], found["doubleWrapping"]) == ("customers", False)
    assert len(sealstone.open_message(IDENTITY, base64.b64decode(found["wrappedDEK"]), aad=b"customers")) == 32


def test_what_is_wrong_is_said_before_a_file_is_begun() -> None:
    refused(errors.InvalidRecipients, lambda: kms_client({"customers": f"{RECIPIENT}\n{OTHER_RECIPIENT}"}))
    refused(
        errors.InvalidRecipients,
        lambda: kms_client({"customers": sealstone.recipient_of(sealstone.generate_identity("sm2"))}),
    )
    refused(errors.InvalidRecipient, lambda: kms_client({"customers": "age1nobody"}))
    refused(TypeError, lambda: kms_client(identities=[7]))  # type: ignore[list-item]
    with pytest.raises(ValueError, match="master key 'orders'"):
        write({"customers": RECIPIENT}, "orders")
