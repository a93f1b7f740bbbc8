"""`sealstone.fs` on a store of objects."""

import os
from typing import Any

import duckdb
import fsspec
import numpy as np
import pandas as pd
import pyarrow.dataset as ds
import pytest
import sealstone
from conftest import Keys
from sealstone.fs import SealedFileSystem


@pytest.fixture
def options(keys: Keys) -> dict[str, Any]:
    return {"identities": keys.provider, "recipients": str(keys.recipient)}


@pytest.fixture
def fs(server: str, options: dict[str, Any]) -> SealedFileSystem:
    return SealedFileSystem("s3", {"use_listings_cache": False}, **options)


def test_tables_are_written_and_read(bucket: str, s3: Any, fs: SealedFileSystem, options: dict[str, Any]) -> None:
    frame = pd.DataFrame({"a": np.arange(500_000), "b": np.random.default_rng(7).random(500_000)})
    chained = {"storage_options": {"sealstone": options}}
    url = f"sealstone::s3://{bucket}/t.parquet.seal"
    frame.to_parquet(url, **chained)
    assert s3.cat_file(f"{bucket}/t.parquet.seal", end=5) == b"\x89SEAL"
    assert pd.read_parquet(url, **chained).equals(frame)
    frame.head(1000).to_csv(f"sealstone::s3://{bucket}/t.csv.seal", index=False, **chained)
    assert pd.read_csv(f"sealstone::s3://{bucket}/t.csv.seal", **chained).equals(frame.head(1000))
    table = ds.dataset(f"{bucket}/t.parquet.seal", filesystem=fs).to_table(columns=["a"], filter=ds.field("a") < 10)
    assert table.num_rows == 10
    database = duckdb.connect()
    database.register_filesystem(fs)
    found = database.sql(f"select count(*), sum(a) from read_parquet('sealstone://{bucket}/t.parquet.seal')").fetchall()
    assert found == [(500_000, 124_999_750_000)]


@pytest.mark.parametrize("size", [1, 70_000_000])
def test_an_object_is_published_once_and_as_a_whole(bucket: str, s3: Any, fs: SealedFileSystem, size: int) -> None:
    path, data = f"{bucket}/film.seal", os.urandom(size)
    with fs.open(path, "xb") as file:
        file.write(data)
    with pytest.raises(FileExistsError):
        fs.open(path, "xb")
    with pytest.raises(FileExistsError), fs.open(f"{bucket}/late.seal", "xb") as file:
        s3.pipe_file(f"{bucket}/late.seal", b"before")
        file.write(os.urandom(size))
    assert s3.cat_file(f"{bucket}/late.seal") == b"before"
    assert fs.cat_file(path) == data
    assert fs.info(path)["size"] == size
    with pytest.raises(ZeroDivisionError), fs.open(f"{bucket}/other.seal", "wb") as file:
        file.write(data)
        _ = 1 / 0
    assert not s3.exists(f"{bucket}/other.seal")
    assert not s3.call_s3("list_multipart_uploads", Bucket=bucket).get("Uploads")


def test_a_cache_below_keeps_ciphertext(
    bucket: str, fs: SealedFileSystem, options: dict[str, Any], tmp_path: Any
) -> None:
    fs.pipe_file(f"{bucket}/note.seal", b"attack at dawn")
    cached = {"sealstone": options, "filecache": {"cache_storage": str(tmp_path / "cache")}}
    with fsspec.open(f"sealstone::filecache::s3://{bucket}/note.seal", **cached) as file:
        assert file.read() == b"attack at dawn"
    kept = [path.read_bytes() for path in (tmp_path / "cache").iterdir()]
    assert any(data.startswith(b"\x89SEAL") for data in kept)
    assert not any(b"attack" in data for data in kept)
    assert sealstone.inspect(next(data for data in kept if data.startswith(b"\x89SEAL"))).plaintext_len == 14
