"""Sealstone encrypts files and data to public keys: post-quantum by default, on all cores, in one format.

>>> import sealstone
>>> identity = sealstone.generate_identity()
>>> file = sealstone.encrypt(b"attack at dawn", recipients=sealstone.recipient_of(identity))
>>> sealstone.decrypt(file, identities=identity)
b'attack at dawn'
"""

from . import errors
from ._data import (
    decrypt,
    decrypt_batch,
    decrypt_into,
    decrypt_range,
    encrypt,
    encrypt_batch,
    encrypt_into,
    encrypted_length,
    inspect,
    rewrap,
)
from ._files import (
    Processed,
    decrypt_file,
    decrypt_range_file,
    encrypt_file,
    inspect_file,
    rewrap_file,
    verify_file,
)
from ._inspection import Inspection, StanzaInfo
from ._keys import import_identity, import_recipient, read_identity, read_recipients, write_identity
from ._native import (
    ChunkedKey,
    Identity,
    Recipient,
    backend,
    export_identity,
    export_recipient,
    generate_identity,
    identity_from_key,
    identity_from_passphrase,
    import_identities,
    import_recipients,
    open_message,
    recipient_of,
    seal_message,
)
from ._progress import Progress
from ._streams import SealedReader, SealedWriter, decrypt_stream, encrypt_stream, open
from .errors import *  # noqa: F403

__version__: str = "0.1.0"

__all__ = [
    "ChunkedKey",
    "Identity",
    "Inspection",
    "Processed",
    "Progress",
    "Recipient",
    "SealedReader",
    "SealedWriter",
    "StanzaInfo",
    "backend",
    "decrypt",
    "decrypt_batch",
    "decrypt_file",
    "decrypt_into",
    "decrypt_range",
    "decrypt_range_file",
    "decrypt_stream",
    "encrypt",
    "encrypt_batch",
    "encrypt_file",
    "encrypt_into",
    "encrypt_stream",
    "encrypted_length",
    "errors",
    "export_identity",
    "export_recipient",
    "generate_identity",
    "identity_from_key",
    "identity_from_passphrase",
    "import_identities",
    "import_identity",
    "import_recipient",
    "import_recipients",
    "inspect",
    "inspect_file",
    "open",
    "open_message",
    "read_identity",
    "read_recipients",
    "recipient_of",
    "rewrap",
    "rewrap_file",
    "seal_message",
    "verify_file",
    "write_identity",
]
__all__ += errors.__all__
