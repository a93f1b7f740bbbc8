from typing_extensions import Buffer

from .._names import HmacHash

def hkdf(
    hash: HmacHash, secret: Buffer, *, length: int, salt: Buffer | None = None, info: Buffer | None = None
) -> bytes: ...
def hkdf_extract(hash: HmacHash, salt: Buffer, secret: Buffer) -> bytes: ...
def hkdf_expand(hash: HmacHash, key: Buffer, info: Buffer, length: int) -> bytes: ...
def concat_kdf(hash: HmacHash, secret: Buffer, info: Buffer, length: int) -> bytes: ...
def blake3_derive_key(context: str, secret: Buffer, length: int = 32) -> bytes: ...
def derive(
    cost: tuple[str, tuple[int, int, int]],
    password: str | Buffer,
    salt: Buffer,
    length: int,
    secret: Buffer | None,
    associated_data: Buffer | None,
    allow_high_cost: bool,
) -> bytes: ...
