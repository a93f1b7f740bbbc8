"""Parquet's own encryption with keys of Sealstone: the keys in a Parquet file are sealed to recipients.

>>> import os
>>> import pyarrow as pa, pyarrow.parquet as pq, pyarrow.parquet.encryption as pe
>>> import sealstone
>>> from sealstone.parquet import encryption_configuration, kms_client
>>> identity = sealstone.generate_identity()
>>> os.environ["CUSTOMERS"] = sealstone.export_identity(identity)
>>> factory = pe.CryptoFactory(kms_client({"customers": sealstone.recipient_of(identity)}, identities="env:CUSTOMERS"))
>>> sealing = factory.file_encryption_properties(pe.KmsConnectionConfig(), encryption_configuration("customers"))
>>> pq.write_table(pa.table({"ssn": ["078-05-1120"]}), "t.parquet", encryption_properties=sealing)
>>> opening = factory.file_decryption_properties(pe.KmsConnectionConfig())
>>> pq.read_table("t.parquet", decryption_properties=opening).to_pydict()
{'ssn': ['078-05-1120']}

pyarrow, Spark and other readers of Parquet know the format, and need a KMS for its keys alone: here it is a recipient, and no service is
asked. A wrapped key is base64 of `sealstone.seal_message(recipient, key, aad=MASTER_KEY_ID)`.
"""

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pyarrow.parquet.encryption as pe

from . import _options, errors, providers
from ._messages import open_by_any
from ._native import Identity, Recipient, seal_message
from ._options import Identities, Recipients

__all__ = ["KmsClient", "encryption_configuration", "kms_client"]


class KmsClient(pe.KmsClient):
    """Wraps and unwraps the keys of Parquet files for pyarrow's `CryptoFactory`, which `kms_client` gives it to."""

    def __init__(self, recipients: Mapping[str, Recipient], identities: tuple[Identity | str, ...]) -> None:
        super().__init__()
        self._recipients, self._identities = recipients, identities

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        """Seals a key to the recipient that a master key's id stands for."""
        recipient = self._recipients.get(master_key_identifier)
        if recipient is None:
            raise ValueError(f"there is no recipient for the master key {master_key_identifier!r}")
        return base64.b64encode(seal_message(recipient, key_bytes, aad=master_key_identifier.encode()))

    def unwrap_key(self, wrapped_key: bytes | str, master_key_identifier: str) -> bytes:
        """Opens a key, if it was sealed under this master key's id."""
        identities: list[Identity] = []
        for one in self._identities:
            identities += providers.identities(one) if isinstance(one, str) else [one]
        if not identities:
            raise ValueError("identities are needed, which open the keys of the file")
        try:
            message = base64.b64decode(wrapped_key, validate=True)
            return open_by_any(identities, message, master_key_identifier.encode())
        except binascii.Error:
            raise errors.InvalidEncoding(
                f"the key under the master key {master_key_identifier!r} is not base64"
            ) from None
        except errors.Error as error:
            raise type(error)(f"the key under the master key {master_key_identifier!r}: {error}") from None


def kms_client(
    recipients: Mapping[str, Recipients] | None = None,
    *,
    identities: Identities = (),
) -> Callable[[Any], KmsClient]:
    """Returns the function with which `pyarrow.parquet.encryption.CryptoFactory` makes its client.

    `recipients` says what each id of a master key stands for when a file is written. `identities` opens what is read: an `Identity`, its
    text, or where one is, as `file:PATH`, `env:NAME`, `exec:PROGRAM` or `module:function`; or several of them.
    """
    if recipients is not None and not isinstance(recipients, Mapping):
        raise TypeError("each id of a master key stands for a recipient, as in {'customers': recipient}")
    found: dict[str, Recipient] = {}
    for name, recipient in (recipients or {}).items():
        these = _options.recipients_of(recipient)
        if len(these) != 1:
            raise errors.InvalidRecipients(f"a master key is one recipient, and {name!r} has {len(these)}")
        # A recipient that takes no messages is refused before a file is begun.
        seal_message(these[0], b"")
        found[name] = these[0]
    chosen: list[Identity | str] = []
    for one in _options.each(identities):
        # A provider is asked when a file is read.
        is_named = isinstance(one, str) and providers.is_provider(one)
        chosen += [one] if is_named else _options.identities_of([one])
    return lambda _: KmsClient(found, tuple(chosen))


def encryption_configuration(
    footer_key: str, *, column_keys: Mapping[str, str | Iterable[str]] | None = None, **settings: Any
) -> pe.EncryptionConfiguration:
    """An `EncryptionConfiguration` with keys of 256 bits, each wrapped once.

    All columns have the key of the footer, so a file has one wrapped key. With `column_keys`, as `{"MASTER_KEY_ID": ["ssn"]}`, those
    columns have keys of their own, and the others are not encrypted. `settings` are pyarrow's.
    """
    keys = {name: [of] if isinstance(of, str) else list(of) for name, of in (column_keys or {}).items()}
    chosen: dict[str, Any] = {"double_wrapping": False, "data_key_length_bits": 256, **settings}
    if keys:
        chosen["column_keys"] = keys
    else:
        chosen.setdefault("uniform_encryption", True)
    return pe.EncryptionConfiguration(footer_key, **chosen)
