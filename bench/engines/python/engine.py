"""The Python engine of the benchmark: libraries for Python behind the protocol of docs/design/bench.md.

An operation says what its input becomes; a library of `prepare`'s option `library` says how. A process imports that library alone.
"""

from importlib.metadata import PackageNotFoundError, version
from platform import python_version


def about() -> tuple[str, str]:
    """The version, and with what it computes."""
    import sealstone

    backend = sealstone.backend().replace("\n", "; ")
    return python_version(), ", ".join([backend, *(f"{name} {found}" for name, found in _versions())])


def _versions() -> list[tuple[str, str]]:
    found = []
    for name in ("sealstone", "cryptography", "PyNaCl", "pyrage", "gmssl", "fsspec", "pyarrow", "pyspark"):
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return found


# Workers of a job import this file, too.
if __name__ == "__main__":
    import aead
    import files
    import gm
    import jobs
    import opened
    import sealed
    from protocol import serve

    serve(
        "python",
        about,
        {
            **aead.OPERATIONS,
            **sealed.OPERATIONS,
            **gm.OPERATIONS,
            **files.OPERATIONS,
            **opened.OPERATIONS,
            **jobs.OPERATIONS,
        },
    )
