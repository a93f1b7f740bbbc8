from typing import NoReturn, final

from typing_extensions import Buffer

from .._cost import Named
from .._names import HmacHash

@final
class KeyCache:
    def __new__(cls, *, entries: int = 100, lifetime: float = 300.0) -> KeyCache: ...
    def clear(self) -> None: ...
    def __reduce__(self) -> NoReturn: ...

def hkdf(
    hash: HmacHash, secret: Buffer, *, length: int, salt: Buffer | None = None, info: Buffer | None = None
) -> bytes: ...
def hkdf_extract(hash: HmacHash, salt: Buffer, secret: Buffer) -> bytes: ...
def hkdf_expand(hash: HmacHash, key: Buffer, info: Buffer, length: int) -> bytes: ...
def concat_kdf(hash: HmacHash, secret: Buffer, info: Buffer, length: int) -> bytes: ...
def blake3_derive_key(context: str, secret: Buffer, length: int = 32) -> bytes: ...
def derive(
    cost: Named,
    password: str | Buffer,
    salt: Buffer,
    secret: Buffer,
    associated_data: Buffer,
    length: int,
    allow_high_cost: bool,
    cache: KeyCache | None,
) -> bytes: ...
