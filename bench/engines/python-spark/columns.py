"""A column of a DataFrame that is encrypted: in Sealstone's cells, by Spark itself, by Fernet, or passed on as it is."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from protocol import Input, Setup, Trial, choose, read_options
from session import session

_KEY = bytes(range(32))
_Column = Callable[[Any], Any]
"""Makes a frame of a frame that has the columns `id` and `value`."""
_MOST = 128 << 20
"""Bytes of all values: four sessions have them at once, plain and sealed, in memory of Java's and of Arrow's."""
_LENGTHS = {"16-bytes": 16, "1-kib": 1024}


def _identity(folder: str) -> tuple[_Column, _Column]:
    def same(batches: Iterator[Any]) -> Iterator[Any]:
        yield from batches

    def through(frame: Any) -> Any:
        return frame.mapInArrow(same, frame.schema)

    return through, through


def _sealstone(folder: str) -> tuple[_Column, _Column]:
    import sealstone
    from sealstone.spark import decrypt_columns, encrypt_columns

    identity = sealstone.generate_identity()
    path = os.path.join(folder, "identity")
    sealstone.write_identity(identity, path)
    recipient = sealstone.recipient_of(identity)
    place: dict[str, Any] = {"keys": os.path.join(folder, "keys"), "row_id": "id", "context": "bench"}
    return (
        lambda frame: encrypt_columns(frame, {"value": recipient}, **place),
        lambda frame: decrypt_columns(frame, {"value": "binary"}, identities=f"file:{path}", **place),
    )


def _aes_encrypt(folder: str) -> tuple[_Column, _Column]:
    from pyspark.sql import functions

    key = functions.lit(_KEY)
    return (
        lambda frame: frame.withColumn("value", functions.aes_encrypt("value", key)),
        lambda frame: frame.withColumn("value", functions.aes_decrypt("value", key)),
    )


def _fernet(folder: str) -> tuple[_Column, _Column]:
    import base64

    from pyspark.sql.functions import arrow_udf

    key = base64.urlsafe_b64encode(_KEY)

    def of(name: str) -> _Column:
        def each(values: pa.Array) -> pa.Array:
            from cryptography.fernet import Fernet

            work = getattr(Fernet(key), name)
            return pa.array([work(value) for value in values.to_pylist()], pa.binary())

        column = arrow_udf(each, "binary")
        return lambda frame: frame.withColumn("value", column("value"))

    return of("encrypt"), of("decrypt")


_LIBRARIES = {"sealstone": _sealstone, "identity": _identity, "aes-encrypt": _aes_encrypt, "fernet": _fernet}


def _table(data: bytes, length: int, rows: int) -> pa.Table:
    """So many values of one length, cut from the data, which begins again where it ends."""
    repeated = data * (rows * length // len(data) + 1)
    values = [repeated[at : at + length] for at in range(0, rows * length, length)]
    return pa.table({"id": pa.array(range(rows), pa.int64()), "value": pa.array(values, pa.binary())})


def _operation(length: int, direction: str) -> Setup:
    def setup(place: Input, options: dict[str, str]) -> Trial:
        chosen = read_options(options, library="sealstone", rows="1000000", cores="2")
        rows, spark = min(int(chosen["rows"]), _MOST // length), session(chosen["cores"])
        for name in os.listdir(place.folder):
            shutil.rmtree(os.path.join(place.folder, name))
        # Workers keep an identity for 15 minutes by the name of its file, so no other one has that name.
        folder = tempfile.mkdtemp(dir=place.folder)
        encrypt, decrypt = choose(_LIBRARIES, chosen["library"], "library")(folder)
        path = os.path.join(folder, "plain.parquet")
        pq.write_table(_table(place.read(), length, rows), path, compression="none")
        spark.catalog.clearCache()
        # A partition for each core, in memory before the clock.
        plain = spark.read.parquet(path).repartition(int(chosen["cores"])).cache()
        plain.count()
        sealed = encrypt(plain)
        if direction == "decrypt":
            sealed = sealed.cache()
            sealed.count()
            work = decrypt(sealed)
        else:
            work = sealed

        def run() -> Any:
            work.write.format("noop").mode("overwrite").save()
            return work

        def reveal(frame: Any) -> Iterator[bytes]:
            opened = frame if direction == "decrypt" else decrypt(frame)
            for batch in opened.orderBy("id").select("value").toArrow().to_batches():
                yield b"".join(batch.column(0).to_pylist())

        return Trial(run, reveal=reveal, length=lambda frame: rows * length, units=rows, has_processes=True)

    return setup


OPERATIONS = {
    f"columns/{name}/{direction}": _operation(length, direction)
    for name, length in _LENGTHS.items()
    for direction in ("encrypt", "decrypt")
}
