"""Parquet's own encryption: pyarrow and Spark read each other's files, with keys that are sealed to recipients."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
import sealstone
from conftest import Keys
from programs import run
from sealstone.parquet import encryption_configuration, kms_client

TABLE = pa.table({"id": list(range(100)), "ssn": [f"078-05-{i:04}" for i in range(100)]})
CONNECTION = pe.KmsConnectionConfig()


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    """A folder with the client of a KMS for the JVM, which runs the command line."""
    import pyspark

    source, jars = Path(__file__).parent / "java" / "SealstoneKms.java", Path(pyspark.__file__).parent / "jars"
    (tmp_path / "classes").mkdir()
    subprocess.run(["javac", "-cp", f"{jars}/*", "-d", str(tmp_path / "classes"), str(source)], check=True)
    return tmp_path / "classes"


def written(path: Path, factory: Any, **settings: Any) -> None:
    sealing = factory.file_encryption_properties(CONNECTION, encryption_configuration("customers", **settings))
    pq.write_table(TABLE, path, encryption_properties=sealing)


def read(path: Path, factory: Any) -> pa.Table:
    # Spark has written a folder, of files.
    opening = factory.file_decryption_properties(CONNECTION)
    files = sorted(path.glob("*.parquet"))
    return pa.concat_tables([pq.ParquetFile(file, decryption_properties=opening).read() for file in files])


def test_spark_and_pyarrow_read_each_other(keys: Keys, cli: str, classes: Path, tmp_path: Path) -> None:
    other = Keys(tmp_path, "other")
    recipients = {"customers": keys.recipient, "people": other.recipient}
    factory = pe.CryptoFactory(kms_client(recipients, identities=[keys.provider, other.provider]))
    written(tmp_path / "uniform.parquet", factory)
    source = f"""
        spark = session(**{{
            "driver_extraClassPath": {str(classes)!r},
            "hadoop_parquet.crypto.factory.class": "org.apache.parquet.crypto.keytools.PropertiesDrivenCryptoFactory",
            "hadoop_parquet.encryption.kms.client.class": "SealstoneKms",
            "hadoop_parquet.encryption.double.wrapping": "false",
            "hadoop_parquet.encryption.data.key.length.bits": "256",
            "hadoop_sealstone.cli": {os.path.abspath(cli)!r},
            "hadoop_sealstone.identity": {keys.provider.removeprefix("file:")!r},
            "hadoop_sealstone.recipient.customers": {str(keys.recipient)!r},
            "hadoop_sealstone.recipient.people": {str(other.recipient)!r},
        }})
        found = spark.read.parquet("uniform.parquet").orderBy("id").collect()
        assert [tuple(row) for row in found] == [(i, f"078-05-{{i:04}}") for i in range(100)]

        people = spark.range(100).selectExpr("id", "concat('078-05-', lpad(id, 4, '0')) as ssn").coalesce(1)
        people.write.option("parquet.encryption.uniform.key", "customers").parquet("uniform")
        people.write.option("parquet.encryption.footer.key", "customers").option(
            "parquet.encryption.column.keys", "people:ssn").parquet("columns")
        # Who has the footer's key alone reads the other columns alone.
        assert spark.read.parquet("columns").selectExpr("sum(id)").first()[0] == 4950
        try:
            spark.read.parquet("columns").select("ssn").collect()
        except Exception as error:
            assert "sealstone message ended with status" in str(error), error
        else:
            raise AssertionError("the column was read without its key")
    """
    run(source, tmp_path)
    for name in ("uniform", "columns"):
        assert read(tmp_path / name, factory).to_pydict() == TABLE.to_pydict()
        [file] = (tmp_path / name).glob("*.parquet")
        assert b"078-05" not in file.read_bytes()
    with pytest.raises(sealstone.NotAuthentic, match="'people'"):
        read(tmp_path / "columns", pe.CryptoFactory(kms_client(identities=keys.provider)))
