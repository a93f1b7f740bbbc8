"""Columns of Spark's, sealed and opened by its workers."""

import datetime
import math
import os
import shutil
import struct
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sealstone
from conftest import Keys
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pages import page, programs
from programs import run
from pyspark import cloudpickle
from pyspark.sql import functions as F
from sealstone import _key_folder, jobs
from sealstone._columns import Opening, Sealing, Table
from sealstone.spark import decrypt_columns, encrypt_columns, unseal

PEOPLE = [(i, f"078-05-{i:04}" if i % 7 else None, f"note {i}") for i in range(200)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "keys"


@pytest.fixture
def people(spark: Any) -> Any:
    return spark.createDataFrame(PEOPLE, "id int, ssn string, note string").repartition(3)


def place(folder: Path, **options: Any) -> dict[str, Any]:
    """Where cells belong, as both directions have it."""
    return {"keys": str(folder), "row_id": "id", "context": "customers", **options}


def kept(frame: Any, path: Path) -> Any:
    """The frame as a table that was written once: each action seals anew."""
    frame.write.parquet(str(path))
    return frame.sparkSession.read.parquet(str(path))


def rows(frame: Any) -> list[Any]:
    return sorted((tuple(row) for row in frame.collect()), key=lambda row: row[0])


def secret_of(folder: Path, cell: bytes, keys: Keys) -> bytes:
    return sealstone.decrypt((folder / f"{cell[:16].hex()}.seal").read_bytes(), identities=keys.identity)


def aad_of(*parts: str) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in map(str.encode, parts))


def test_columns_go_round(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    sealed = encrypt_columns(people, {"ssn": keys.recipient}, **place(folder))
    assert sealed.columns == people.columns
    assert sealed.schema["ssn"].dataType.simpleString() == "binary"
    # Nothing is done until Spark works.
    assert not folder.exists()
    sealed = kept(sealed, tmp_path / "sealed")
    assert len(list(folder.iterdir())) == 3
    opened = decrypt_columns(sealed, {"ssn": "string"}, identities=keys.provider, **place(folder))
    assert opened.schema.simpleString() == people.schema.simpleString()
    assert rows(opened) == PEOPLE
    # Rows of all tasks come together in a batch.
    again = decrypt_columns(
        sealed.orderBy(F.rand(7)).coalesce(1), {"ssn": "string"}, identities=keys.provider, **place(folder)
    )
    assert rows(again) == PEOPLE


def test_every_type_goes_round(spark: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    zone = datetime.UTC
    # In Berlin both of these are 02:30 on that day.
    twice = [datetime.datetime(2025, 10, 26, hour, 30, 0, 123456, zone) for hour in (0, 1)]
    values: dict[str, list[Any]] = {
        "string": ["", "süß\0", "x" * 10_000],
        "binary": [bytearray(b""), bytearray(b"\xff\0"), bytearray(5000)],
        "boolean": [True, False, True],
        "tinyint": [-128, 127, 0],
        "smallint": [-32768, 32767, 0],
        "int": [-(2**31), 2**31 - 1, 0],
        "bigint": [-(2**63), 2**63 - 1, 0],
        "float": [1.5, -math.inf, struct.unpack("f", struct.pack("f", 0.1))[0]],
        "double": [0.1, math.inf, 5e-324],
        "decimal(38,18)": [Decimal("1E-18"), Decimal("-12345678901234567890.500000000000000000"), None],
        "decimal(10,0)": [Decimal(0), Decimal(-9999999999), None],
        "date": [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), None],
        "timestamp": [*twice, datetime.datetime(1899, 1, 1, 0, 0, 0, 1, zone)],
        "timestamp_ntz": [datetime.datetime(2025, 10, 26, 2, 30), datetime.datetime(1, 1, 1, 0, 0, 0, 1), None],
    }
    schema = "id long, " + ", ".join(f"c{number} {kind}" for number, kind in enumerate(values))
    columns = zip(range(4), *([*column, None] for column in values.values()), strict=True)
    kinds = {f"c{number}": kind for number, kind in enumerate(values)}
    sealed_in, opened_in = "Europe/Berlin", "Asia/Tokyo"
    before = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", sealed_in)
        frame = spark.createDataFrame(list(columns), schema)
        sealed = kept(
            encrypt_columns(frame, dict.fromkeys(kinds, keys.recipient), **place(folder)), tmp_path / "sealed"
        )
        assert {one.dataType.simpleString() for one in sealed.schema.fields[1:]} == {"binary"}
        spark.conf.set("spark.sql.session.timeZone", opened_in)
        opened = decrypt_columns(sealed, kinds, identities=keys.provider, **place(folder))
        assert opened.schema.simpleString() == frame.schema.simpleString()
        assert rows(opened) == rows(frame)
        # A double is the same to the bit.
        strange = spark.sql("select id, case id when 0 then -0.0D else double('NaN') end as c8 from range(2)")
        again = kept(encrypt_columns(strange, {"c8": keys.recipient}, **place(folder)), tmp_path / "strange")
        zero, nan = rows(decrypt_columns(again, {"c8": "double"}, identities=keys.provider, **place(folder)))
        assert math.copysign(1, zero[1]) == -1 and math.isnan(nan[1])
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)


def test_spark_and_cryptography_open_the_cells(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    sealed = kept(encrypt_columns(people, {"ssn": keys.recipient}, **place(folder)), tmp_path / "sealed")
    secrets = {}
    for id, cell, _ in rows(sealed):
        if cell is not None:
            secret = secrets.setdefault(bytes(cell[:16]).hex(), secret_of(folder, bytes(cell), keys))
            aad = aad_of("customers", "ssn", str(id))
            assert AESGCM(secret).decrypt(bytes(cell[16:28]), bytes(cell[28:]), aad).decode() == PEOPLE[id][1]
    table = sealed.sparkSession.createDataFrame(list(secrets.items()), "key_id string, key binary")
    named = sealed.withColumn("key_id", F.expr("lower(hex(substring(ssn, 1, 16)))")).join(F.broadcast(table), "key_id")
    aad = (
        "concat(unhex('00000009'), encode('customers', 'UTF-8'), unhex('00000003'), encode('ssn', 'UTF-8'),"
        " unhex(lpad(hex(octet_length(cast(id as string))), 8, '0')), encode(cast(id as string), 'UTF-8'))"
    )
    opened = named.select(
        "id", F.expr(f"cast(aes_decrypt(substring(ssn, 17), key, 'GCM', 'DEFAULT', {aad}) as string)")
    )
    assert rows(opened) == [(id, ssn) for id, ssn, _ in PEOPLE if ssn is not None]


def test_columns_have_recipients_of_their_own(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    other = Keys(tmp_path, "other")
    columns = {"ssn": keys.recipient, "note": [str(keys.recipient), other.recipient]}
    sealed = kept(encrypt_columns(people, columns, **place(folder)), tmp_path / "sealed")
    assert len(list(folder.iterdir())) == 6
    opened = decrypt_columns(sealed, {"note": "string"}, identities=other.provider, **place(folder))
    assert [row[2] for row in rows(opened)] == [note for _, _, note in PEOPLE]
    with pytest.raises(Exception, match=r"NoMatchingIdentity: .*\.seal"):
        decrypt_columns(sealed, {"ssn": "string"}, identities=other.provider, **place(folder)).collect()
    both = decrypt_columns(sealed, {"ssn": "string", "note": "string"}, identities=keys.provider, **place(folder))
    assert rows(both) == PEOPLE


def test_row_ids_of_several_columns_and_types(spark: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    frame = spark.sql(
        "select id, cast(id as decimal(20,2)) as number, date_add(date'2025-01-01', cast(id as int)) as day,"
        " timestamp_micros(id * 1000001) as moment, id % 2 = 0 as even, concat('s', id) as ssn, 'x' as `Row ID Day`"
        " from range(50)"
    )
    at = place(folder, row_id=["day", "number", "id", "moment", "even"])
    sealed = kept(encrypt_columns(frame, {"ssn": keys.recipient}, **at), tmp_path / "sealed")
    assert sealed.columns == frame.columns
    opened = decrypt_columns(sealed, {"ssn": "string"}, identities=keys.provider, **at)
    assert opened.columns == frame.columns
    assert rows(opened) == rows(frame)
    moved = sealed.withColumn("day", F.expr("date_add(day, 1)"))
    with pytest.raises(Exception, match=r"NotAuthentic: .*'ssn' in the row day='2025-\d\d-\d\d', number='\d+\.00'"):
        decrypt_columns(moved, {"ssn": "string"}, identities=keys.provider, **at).collect()


def test_nothing_is_sealed_as_nothing(spark: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    frames = {
        "empty": spark.createDataFrame([], "id int, ssn string"),
        "null": spark.createDataFrame([(1, None), (2, None)], "id int, ssn string"),
        "partitions": spark.range(3).selectExpr("cast(id as int) as id", "cast(null as string) as ssn").repartition(8),
    }
    for name, frame in frames.items():
        sealed = kept(encrypt_columns(frame, {"ssn": keys.recipient}, **place(folder)), tmp_path / name)
        assert rows(sealed) == rows(frame)
        assert rows(decrypt_columns(sealed, {"ssn": "string"}, identities=keys.provider, **place(folder))) == rows(
            frame
        )
    assert not folder.exists()


def test_large_types_of_arrow(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    name = "spark.sql.execution.arrow.useLargeVarTypes"
    people.sparkSession.conf.set(name, "true")
    try:
        sealed = kept(encrypt_columns(people, {"ssn": keys.recipient}, **place(folder)), tmp_path / "sealed")
        assert rows(decrypt_columns(sealed, {"ssn": "string"}, identities=keys.provider, **place(folder))) == PEOPLE
    finally:
        people.sparkSession.conf.unset(name)


def test_a_wrong_cell_ends_the_job(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    sealed = kept(encrypt_columns(people, {"ssn": keys.recipient}, **place(folder)), tmp_path / "sealed")
    for wrong in (
        "concat(substring(ssn, 1, length(ssn) - 1), unhex('00'), unhex('00'))",
        "substring(ssn, 1, 20)",
        "unhex('')",
    ):
        changed = sealed.withColumn("ssn", F.expr(f"if(id = 77 + 1, {wrong}, ssn)"))
        with pytest.raises(Exception, match="NotAuthentic: the cell of column 'ssn' in the row id='78' ") as raised:
            decrypt_columns(changed, {"ssn": "string"}, identities=keys.provider, **place(folder)).collect()
        assert "078-05" not in str(raised.value)
    missing = min(folder.iterdir())
    shutil.copytree(folder, tmp_path / "fewer", ignore=lambda *_: [missing.name])
    with pytest.raises(Exception, match=f"NotFound: .*data key is missing.*fewer/{missing.name}"):
        decrypt_columns(
            sealed, {"ssn": "string"}, identities=keys.provider, **place(folder, keys=f"{tmp_path}/fewer")
        ).collect()


def test_what_is_no_such_value_is_not_repeated(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    sealed = kept(encrypt_columns(people, {"note": keys.recipient}, **place(folder)), tmp_path / "sealed")
    for kind in ("int", "timestamp"):
        with pytest.raises(Exception, match="the cells of the column 'note' hold no") as raised:
            decrypt_columns(sealed, {"note": kind}, identities=keys.provider, **place(folder)).collect()
        assert "note 1" not in str(raised.value)


def test_each_action_seals_anew_and_all_of_it_opens(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    sealed = encrypt_columns(people, {"ssn": keys.recipient}, **place(folder))
    first, second = kept(sealed, tmp_path / "1"), kept(sealed, tmp_path / "2")
    assert len(list(folder.iterdir())) == 6
    cells = [{bytes(row[1]) for row in rows(one) if row[1]} for one in (first, second)]
    assert cells[0].isdisjoint(cells[1])
    for one in (first, second):
        assert rows(decrypt_columns(one, {"ssn": "string"}, identities=keys.provider, **place(folder))) == PEOPLE


def test_a_worker_that_is_killed_leaves_a_key_and_no_row(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    flag = str(tmp_path / "killed")

    def end_once(batches: Any) -> Any:
        import signal

        for batch in batches:
            yield batch
            if not os.path.exists(flag):
                open(flag, "w").close()
                os.kill(os.getpid(), signal.SIGKILL)

    people.sparkSession.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "20")
    try:
        sealed = encrypt_columns(people.coalesce(1), {"ssn": keys.recipient}, **place(folder))
        written = kept(sealed.mapInArrow(end_once, sealed.schema), tmp_path / "sealed")
    finally:
        people.sparkSession.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert Path(flag).exists()
    # The second attempt has a key of its own, under which all rows are.
    assert len(list(folder.iterdir())) == 2
    assert len({bytes(row[1][:16]) for row in rows(written) if row[1]}) == 1
    assert rows(decrypt_columns(written, {"ssn": "string"}, identities=keys.provider, **place(folder))) == PEOPLE


def test_one_column_in_sql(people: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    spark = people.sparkSession
    sealed = kept(
        encrypt_columns(people, {"ssn": keys.recipient, "note": keys.recipient}, **place(folder)), tmp_path / "sealed"
    )
    at = {"keys": str(folder), "identities": keys.provider, "context": "customers"}
    spark.udf.register("ssn_of", unseal(column="ssn", **at))
    sealed.createOrReplaceTempView("people")
    found = spark.sql("select id, ssn_of(ssn, id) from people where ssn_of(ssn, id) like '%9'")
    assert rows(found) == [(id, ssn) for id, ssn, _ in PEOPLE if ssn and ssn.endswith("9")]
    note = unseal(column="note", returns="binary", **at)
    assert rows(sealed.select("id", note("note", "id")))[5] == (5, b"note 5")
    with pytest.raises(Exception, match="NotAuthentic: the cell of column 'note' in the row id='"):
        sealed.select(note("ssn", "id")).collect()
    with pytest.raises(Exception, match="TypeError: the function takes the cell and the row id"):
        sealed.select(note("note")).collect()
    two = kept(
        encrypt_columns(people, {"ssn": keys.recipient}, **place(folder, row_id=["note", "id"])), tmp_path / "two"
    )
    two.createOrReplaceTempView("two")
    assert rows(spark.sql("select id, ssn_of(ssn, note, id) from two")) == [(id, ssn) for id, ssn, _ in PEOPLE]


def test_rotation(people: Any, folder: Path, keys: Keys, tmp_path: Path, spark: Any) -> None:
    sealed = kept(encrypt_columns(people, {"ssn": keys.recipient}, **place(folder)), tmp_path / "sealed")
    before = rows(sealed)
    other = Keys(tmp_path, "other")
    options = {"recipients": other.recipient, "replace": True, "manifest": str(tmp_path / "job"), "engine": spark}
    report = jobs.rewrap(str(folder), identities=keys.provider, **options)
    assert (report.done, report.failed) == (3, 0)
    assert rows(sealed) == before
    assert rows(decrypt_columns(sealed, {"ssn": "string"}, identities=other.provider, **place(folder))) == PEOPLE


def test_each_cell_as_a_message(people: Any, keys: Keys, tmp_path: Path) -> None:
    at: dict[str, Any] = {"row_id": "id", "context": "customers", "per_record": True}
    sealed = kept(encrypt_columns(people, {"ssn": keys.recipient}, **at), tmp_path / "sealed")
    cell = rows(sealed)[1][1]
    assert (
        sealstone.open_message(keys.identity, bytes(cell), aad=aad_of("customers", "ssn", "1")).decode() == PEOPLE[1][1]
    )
    assert rows(decrypt_columns(sealed, {"ssn": "string"}, identities=keys.provider, **at)) == PEOPLE
    of = unseal(identities=keys.provider, context="customers", column="ssn", per_record=True)
    assert rows(sealed.select("id", of("ssn", "id"))) == [(id, ssn) for id, ssn, _ in PEOPLE]


def test_what_cannot_be_sealed_is_refused_before_a_task_runs(people: Any, folder: Path, keys: Keys, spark: Any) -> None:
    def wrong(error: type[Exception], text: str, columns: Any = None, frame: Any = people, **options: Any) -> None:
        with pytest.raises(error, match=text):
            encrypt_columns(frame, columns or {"ssn": keys.recipient}, **place(folder, **options))

    wrong(ValueError, "no column 'absent'", {"absent": keys.recipient})
    wrong(ValueError, "no column 'absent'", row_id="absent")
    wrong(ValueError, "no column 'SSN'", {"SSN": keys.recipient})
    wrong(ValueError, "several columns 'ssn'", frame=people.select("id", "ssn", "ssn"))
    wrong(ValueError, "is the row id", {"id": keys.recipient})
    wrong(ValueError, "named twice", row_id=["id", "id"])
    wrong(ValueError, "a row id are needed", row_id=[])
    wrong(ValueError, "such as the table's name", context="")
    wrong(ValueError, "`per_record`", keys="")
    wrong(ValueError, "`per_record`", per_record=True)
    wrong(ValueError, "has 2", {"ssn": [keys.recipient] * 2}, keys="", per_record=True)
    wrong(sealstone.InvalidRecipients, "recipient", {"ssn": []})
    wrong(sealstone.InvalidRecipient, "recipient", {"ssn": "age1nobody"})
    wrong(TypeError, "array<int>.*to_json", {"many": keys.recipient}, people.withColumn("many", F.array("id")))
    wrong(TypeError, "double, which tells no rows apart", row_id="x", frame=people.withColumn("x", F.lit(1.0)))
    with pytest.raises(TypeError, match="named by its provider"):
        decrypt_columns(people, {"ssn": "string"}, identities=keys.identity, **place(folder))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="named by its provider"):
        decrypt_columns(people, {"ssn": "string"}, identities="no provider", **place(folder))
    with pytest.raises(TypeError, match="has no cells: it is string"):
        decrypt_columns(people, {"ssn": "string"}, identities=keys.provider, **place(folder))
    with pytest.raises(ValueError, match="string or binary"):
        unseal(keys="keys", identities=keys.provider, context="customers", column="ssn", returns="int")
    assert not folder.exists()
    with pytest.raises(Exception, match="'id' is null in 1 rows"):
        encrypt_columns(
            spark.sql("select cast(null as int) as id, 'a' as ssn"), {"ssn": keys.recipient}, **place(folder)
        ).collect()


def test_strange_names_of_columns(spark: Any, folder: Path, keys: Keys, tmp_path: Path) -> None:
    frame = spark.sql("select id as `row.id`, cast(id as int) as `a.b ``c`, id as `größe` from range(5)")
    at = place(folder, row_id="row.id")
    sealed = encrypt_columns(frame, {"a.b `c": keys.recipient, "größe": keys.recipient}, **at)
    sealed.createOrReplaceTempView("strange")
    opened = decrypt_columns(sealed, {"a.b `c": "int", "größe": "bigint"}, identities=keys.provider, **at)
    assert opened.columns == frame.columns
    assert rows(opened) == rows(frame)


def test_closures_hold_no_identity(people: Any, folder: Path, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [unseal(keys=str(folder), identities=keys.provider, context="customers", column="ssn").func]
    whole = type(people).mapInArrow

    def recorded(self: Any, function: Any, *arguments: Any) -> Any:
        found.append(function)
        return whole(self, function, *arguments)

    monkeypatch.setattr(type(people), "mapInArrow", recorded)
    sealed = encrypt_columns(people, {"ssn": keys.recipient}, **place(folder))
    decrypt_columns(sealed, {"ssn": "string"}, identities=keys.provider, **place(folder))
    assert len(found) == 3
    secret = str(sealstone.export_identity(keys.identity)).encode()
    for function in found:
        data = cloudpickle.dumps(function)
        assert str(folder).encode() in data
        assert secret not in data


def test_no_secret_is_left_on_disk(folder: Path, keys: Keys, tmp_path: Path) -> None:
    """Neither an identity, nor a data key, nor a value is in the event log, in files of a shuffle or in temporary ones."""
    (tmp_path / "log").mkdir()
    source = f"""
        import base64, pathlib, sealstone
        from sealstone.spark import decrypt_columns, encrypt_columns

        place = dict(keys={str(folder)!r}, row_id="id", context="customers")
        spark = session(
            eventLog_enabled="true", eventLog_compress="false", eventLog_dir="file:{tmp_path}/log",
            local_dir="{tmp_path}/local", shuffle_compress="false",
            driver_extraJavaOptions="-Djava.io.tmpdir={tmp_path}/tmp",
        )
        people = spark.range(500).selectExpr("id", "concat('078-05-', lpad(id, 4, '0')) as ssn")
        sealed = encrypt_columns(people, {{"ssn": {str(keys.recipient)!r}}}, **place).repartition(3).localCheckpoint()
        cell = bytes(sealed.first()["ssn"])
        opened = decrypt_columns(sealed, {{"ssn": "string"}}, identities={keys.provider!r}, **place)
        assert opened.filter("ssn = concat('078-05-', lpad(id, 4, '0'))").count() == 500

        identity = pathlib.Path({keys.provider!r}.removeprefix("file:")).read_text().strip()
        secrets = [identity.encode(), b"078-05-0077"]
        for path in pathlib.Path({str(folder)!r}).iterdir():
            key = sealstone.decrypt(path.read_bytes(), identities=identity)
            secrets += [key, key.hex().encode(), base64.b64encode(key)]
        assert len(secrets) == 2 + 3 * 2
        files = {{path: path.read_bytes() for top in ("log", "local", "tmp")
                 for path in pathlib.Path({str(tmp_path)!r}, top).rglob("*") if path.is_file()}}
        # The files that are searched have the plan, the name of the identity, and a cell in a shuffle.
        assert any(b"MapInArrow" in data for data in files.values())
        assert any(cell in data for data in files.values())
        for path, data in files.items():
            for number, secret in enumerate(secrets):
                assert secret not in data, (path, number)
    """
    run(source, tmp_path)


GUIDE = (
    "Encrypt columns of a DataFrame",
    "Open one column",
    "Columns in SQL",
    "Parquet modular encryption",
)


def test_what_the_guide_shows_runs(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page("docs/guide/big-data.md")
    names: dict[str, Any] = {}
    for title in GUIDE:
        section = text.split(f"\n## {title}\n")[1].split("\n## ")[0]
        [example] = programs(section)
        # The JVM has a folder of its own to which it takes paths.
        exec(example.replace('parquet("customers")', f'parquet("{tmp_path}/customers")'), names)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["customers", "hr-identity.txt", "keys", "t.parquet"]


def test_keys_in_a_bucket(bucket: str, s3: Any, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at = Table(b"customers", {"id": 0}, f"s3://{bucket}/keys")
    given = pa.RecordBatch.from_pydict({"id": [1, 2], "ssn": ["078-05-1120", None]})
    sealing = Sealing(at, {"ssn": (str(keys.recipient),)}, ("id", "ssn"))

    def opened(batches: list[pa.RecordBatch], identities: str) -> list[pa.RecordBatch]:
        monkeypatch.setattr(_key_folder, "_opened", _key_folder._Opened())
        return list(Opening(at, {"ssn": True}, ("id", "ssn"), identities).batches(batches))

    sealed = [done for _ in range(30) for done in sealing.batches([given])]
    names = [cell[:16].hex() for done in sealed for cell in done.column(1).to_pylist() if cell]
    assert sorted(s3.ls(f"{bucket}/keys", detail=False)) == sorted(f"{bucket}/keys/{name}.seal" for name in names)
    assert opened(sealed, keys.provider) == [given] * 30
    # All keys of a batch are read together.
    whole = pa.Table.from_batches(sealed).combine_chunks().to_batches()
    assert opened(whole, keys.provider)[0].column(1).to_pylist() == ["078-05-1120", None] * 30
    # No key takes the place of another.
    monkeypatch.setattr(_key_folder.os, "urandom", lambda _: bytes.fromhex(names[0]))
    with pytest.raises(FileExistsError):
        list(sealing.batches([given]))
    other = Keys(tmp_path, "other")
    options = {"recipients": other.recipient, "replace": True, "manifest": str(tmp_path / "job"), "engine": None}
    report = jobs.rewrap(f"s3://{bucket}/keys", identities=keys.provider, **options)
    assert (report.done, report.failed) == (30, 0)
    assert opened(sealed, other.provider) == [given] * 30
    with pytest.raises(sealstone.NoMatchingIdentity, match=names[0]):
        opened(sealed, keys.provider)
