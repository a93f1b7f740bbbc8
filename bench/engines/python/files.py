"""A file by its name, to a public key and back."""

import os
from collections.abc import Iterator

from protocol import Input, Setup, Trial, read_options


def parts(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            yield part


def remove(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)


def _operation(direction: str) -> Setup:
    def setup(place: Input, options: dict[str, str]) -> Trial:
        import sealstone

        chosen = read_options(options, kind="hybrid", threads="all")
        threads = None if chosen["threads"] == "all" else int(chosen["threads"])
        identity = sealstone.generate_identity(chosen["kind"])
        recipient = sealstone.recipient_of(identity)
        source, output, opened = (os.path.join(place.folder, name) for name in ("source", "output", "opened"))
        remove(opened)

        def encrypt() -> str:
            sealstone.encrypt_file(place.path, output, recipients=recipient, threads=threads)
            return output

        def decrypt() -> str:
            sealstone.decrypt_file(source, output, identities=identity, threads=threads)
            return output

        def reveal(path: str) -> Iterator[bytes]:
            sealstone.decrypt_file(path, opened, identities=identity)
            yield from parts(opened)
            os.unlink(opened)

        tidy = lambda: remove(output)  # noqa: E731
        if direction == "encrypt":
            return Trial(encrypt, reveal=reveal, length=os.path.getsize, tidy=tidy)
        remove(source)
        sealstone.encrypt_file(place.path, source, recipients=recipient)
        return Trial(decrypt, reveal=parts, length=os.path.getsize, tidy=tidy)

    return setup


OPERATIONS = {f"file/{direction}": _operation(direction) for direction in ("encrypt", "decrypt")}
