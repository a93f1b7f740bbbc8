"""Looks for a private key as an attacker would: in all files below a folder, and in other bytes."""

import base64
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import sealstone

_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


class Search:
    """The forms of a private key in which it may be written."""

    def __init__(self, identity: sealstone.Identity) -> None:
        body = sealstone.export_identity(identity).strip().rpartition("-1")[2]
        raw = _bytes_of(body)
        assert len(body) > 50
        assert len(raw) == 32
        self.forms = dict(_forms("raw", raw))
        for name, text in (("text", body), ("lower case", body.lower())):
            self.forms |= {**dict(_forms(name, text.encode())), f"{name}, UTF-16": text.encode("utf-16-le")}
        # Nor the half of it.
        self.forms |= {f"first of {name}": form[: len(form) // 2] for name, form in self.forms.items()}
        self.forms |= {f"last of {name}": form[len(form) // 2 :] for name, form in self.forms.items()}

    def within(self, data: bytes) -> set[str]:
        return {name for name, form in self.forms.items() if form in data}

    def below(self, folder: Path) -> dict[str, set[str]]:
        """The files below a folder that hold a form of it, or have it in their name; Parquet is read as well."""
        found = {}
        for path in folder.rglob("*"):
            data = os.fsencode(str(path))
            if path.is_file():
                # Spark may remove it meanwhile.
                with contextlib.suppress(FileNotFoundError):
                    data += b"\0" + path.read_bytes()
                if path.suffix == ".parquet":
                    data += repr(pq.read_table(path).to_pydict()).encode()
            if forms := self.within(data):
                found[str(path)] = forms
        return found


def _bytes_of(body: str) -> bytes:
    """Decodes Bech32: 5 bits a character, and 6 characters of a checksum."""
    bits = "".join(f"{_BECH32.index(one):05b}" for one in body.lower()[:-6])
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits) - 7, 8))


def _forms(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    yield name, data
    yield f"{name}, hex", data.hex().encode()
    yield f"{name}, HEX", data.hex().upper().encode()
    yield f"{name}, numbers", ", ".join(map(str, data)).encode()
    for shift in range(3):
        # Behind one or two other bytes its base64 is another one; characters at the ends have bits of its neighbours.
        for kind, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            text = encode(bytes(shift) + data)
            yield f"{name}, {kind} {shift}", text[(shift * 8 + 5) // 6 : (shift + len(data)) * 8 // 6]
