"""Columns that are sealed cell by cell, as a task of an engine does it: without an engine."""

import os
import pickle
import struct
import sys
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest
import sealstone
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sealstone import _cells, _columns, _key_folder, errors, jobs
from sealstone._cells import Rows
from sealstone._columns import Opening, Sealing, Table

IDENTITY = sealstone.generate_identity()
OTHER = sealstone.generate_identity("x25519")
TEXT, OTHER_TEXT = (str(sealstone.recipient_of(one)) for one in (IDENTITY, OTHER))
NAMES = ("id", "ssn")
KINDS = [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view(), pa.binary_view()]


def identity() -> sealstone.Identity:
    return IDENTITY


def both() -> list[sealstone.Identity]:
    return [OTHER, IDENTITY]


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """This module by a name that a provider can have, in a folder of the test's own."""
    monkeypatch.setitem(sys.modules, "holders", sys.modules[__name__])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_key_folder, "_opened", _key_folder._Opened())


def table(row_id: dict[str, int] | None = None, context: bytes = b"customers", keys: str = "keys") -> Table:
    return Table(context, row_id or {"id": 0}, keys)


def sealed(
    batch: pa.RecordBatch, columns: dict[str, tuple[str, ...]] | None = None, at: Table | None = None
) -> pa.RecordBatch:
    work = Sealing(at or table(), columns or {"ssn": (TEXT,)}, tuple(batch.schema.names))
    [done] = work.batches(iter([batch]))
    done.validate(full=True)
    return done


def opened(
    batch: pa.RecordBatch,
    columns: dict[str, bool] | None = None,
    at: Table | None = None,
    identities: str = "holders:identity",
) -> pa.RecordBatch:
    [done] = Opening(at or table(), columns or {"ssn": True}, tuple(batch.schema.names), identities).batches(
        iter([batch])
    )
    done.validate(full=True)
    return done


def batch(values: Any, ids: Any = None, kind: pa.DataType | None = None) -> pa.RecordBatch:
    array = values if isinstance(values, pa.Array) else pa.array(values, kind or pa.string())
    ids = ids if ids is not None else pa.array(range(len(array)), pa.int64())
    return pa.RecordBatch.from_arrays([ids, array], names=["id", "ssn"])


def secret_of(cell: bytes, keys: str = "keys") -> bytes:
    """The data key of a cell, as a holder of the identity opens it without this package."""
    return sealstone.decrypt(Path(keys, f"{cell[:16].hex()}.seal").read_bytes(), identities=[IDENTITY, OTHER])


def aad_of(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">I", len(part)) + part for part in parts)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.none() | st.text(max_size=40), max_size=60),
    before=st.integers(0, 9),
    after=st.integers(0, 9),
    kind=st.sampled_from(KINDS),
    id_kind=st.sampled_from([pa.int64(), pa.int8(), pa.string(), pa.large_string(), pa.binary(), pa.string_view()]),
)
def test_every_column_goes_round(
    cells: list[str | None], before: int, after: int, kind: pa.DataType, id_kind: pa.DataType
) -> None:
    is_text = kind in (pa.string(), pa.large_string(), pa.string_view())
    values = [one if one is None or is_text else one.encode() for one in cells]
    skipped = "skipped" if is_text else b"skipped"
    # A part of an array has offsets that do not begin at 0, and validity that does not begin at a byte.
    array = pa.array([skipped] * before + values + [None] * after, kind)[before : before + len(values)]
    ids = pa.array(range(len(values)), pa.int64())
    ids = ids.cast(id_kind if pa.types.is_integer(id_kind) else pa.string()).cast(id_kind)
    given = batch(array, ids)
    done = sealed(given)
    assert done.column(0).equals(ids)
    assert [one is None for one in done.column(1).to_pylist()] == [one is None for one in values]
    for index, cell in enumerate(done.column(1).to_pylist()):
        if cell is not None:
            text = AESGCM(secret_of(cell)).decrypt(cell[16:28], cell[28:], aad_of(b"customers", b"ssn", b"%d" % index))
            assert text == (cells[index] or "").encode()
    assert opened(done, {"ssn": is_text}).column(1).to_pylist() == values


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tasks=st.lists(st.lists(st.none() | st.binary(max_size=30), max_size=20), min_size=1, max_size=6),
    shuffle=st.randoms(),
)
def test_cells_of_many_tasks_open_together(tasks: list[list[bytes | None]], shuffle: Any) -> None:
    rows = []
    for number, values in enumerate(tasks):
        ids = pa.array([f"{number}-{i}" for i in range(len(values))], pa.string())
        done = sealed(batch(values, ids, pa.binary()))
        rows += list(zip(ids.to_pylist(), done.column(1).to_pylist(), values, strict=True))
    shuffle.shuffle(rows)
    ids, cells, values = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    mixed = batch(pa.array(cells, pa.binary()), pa.array(ids, pa.string()))
    assert opened(mixed, {"ssn": False}).column(1).to_pylist() == values


def test_a_task_has_one_key_for_columns_of_the_same_recipients() -> None:
    values = pa.array(["a", "b", None])
    given = pa.RecordBatch.from_arrays(
        [pa.array([1, 2, 3]), values, values, values], names=["id", "ssn", "name", "note"]
    )
    columns = {"ssn": (TEXT,), "name": (TEXT,), "note": (OTHER_TEXT,)}
    parts = list(Sealing(table(), columns, tuple(given.schema.names)).batches(iter([given, given.slice(0, 0), given])))
    ids = {
        name: {cell[:16] for part in parts for cell in part.column(name).drop_null().to_pylist()} for name in columns
    }
    assert ids["ssn"] == ids["name"]
    assert len(ids["ssn"] | ids["note"]) == 2
    assert {f"{one.hex()}.seal" for one in ids["ssn"] | ids["note"]} == set(os.listdir("keys"))
    # Each recipient opens its own columns.
    assert opened(parts[0], {"ssn": True, "name": True}).column("name").to_pylist() == ["a", "b", None]
    with pytest.raises(errors.NoMatchingIdentity, match="keys/"):
        opened(parts[0], {"note": True})
    assert opened(parts[0], dict.fromkeys(columns, True), identities="holders:both").column("note").equals(values)


def test_another_task_has_another_key() -> None:
    for _ in range(3):
        sealed(batch(["a"]))
    assert len(os.listdir("keys")) == 3


def test_no_key_is_made_for_nothing() -> None:
    for values in ([], [None, None]):
        done = sealed(batch(values))
        assert done.column(1).to_pylist() == values
        assert done.column(1).type == pa.binary()
        assert opened(done).column(1).to_pylist() == values
    assert not Path("keys").exists()


def test_the_key_is_there_before_the_first_row_leaves() -> None:
    work = Sealing(table(), {"ssn": (TEXT,)}, NAMES).batches(iter([batch(["a"]), batch(["b"])]))
    first = next(work).column(1)[0].as_py()
    assert os.listdir("keys") == [f"{first[:16].hex()}.seal"]
    assert next(work).column(1)[0].as_py()[:16] == first[:16]


def test_where_a_key_cannot_be_written_no_row_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("keys").write_text("this is no folder")
    with pytest.raises(OSError, match="keys"):
        sealed(batch(["a"]))
    # A name that is taken already is never replaced.
    sealed(batch(["a"]), at=table(keys="others"))
    [taken] = os.listdir("others")
    monkeypatch.setattr(_key_folder.os, "urandom", lambda _: bytes.fromhex(taken.removesuffix(".seal")))
    before = Path("others", taken).read_bytes()
    with pytest.raises(FileExistsError):
        sealed(batch(["a"]), at=table(keys="others"))
    assert Path("others", taken).read_bytes() == before


def test_a_key_is_used_for_so_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_columns, "LIMIT", 5)
    parts = list(Sealing(table(), {"ssn": (TEXT,)}, NAMES).batches(batch(["a", "b", None]) for _ in range(6)))
    used = [cell[:16] for part in parts for cell in part.column(1).drop_null().to_pylist()]
    assert [used.count(one) for one in dict.fromkeys(used)] == [4, 4, 4]
    for part in parts:
        assert opened(part).column(1).to_pylist() == ["a", "b", None]


def test_a_batch_that_would_be_too_long_is_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cells, "MAX_LEN", 3_000)
    parts = list(Sealing(table(), {"ssn": (TEXT,)}, NAMES).batches(iter([batch([f"row {i}" for i in range(100)])])))
    assert len(parts) > 1
    assert len(os.listdir("keys")) == 1
    again = [value for part in parts for value in opened(part).column(1).to_pylist()]
    assert again == [f"row {i}" for i in range(100)]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cells=st.lists(st.none() | st.text(max_size=80), min_size=1, max_size=60), at=st.data())
def test_the_wrong_one_of_many_cells_is_named(cells: list[str | None], at: Any) -> None:
    done = sealed(batch(cells))
    assert opened(done).column(1).to_pylist() == cells
    there = [index for index, cell in enumerate(cells) if cell is not None]
    if there:
        wrong = at.draw(st.sampled_from(there))
        with pytest.raises(errors.NotAuthentic, match=f"id='{wrong}' "):
            cell = done.column(1)[wrong].as_py()
            opened(changed(done, {wrong: cell[:-1] + bytes([cell[-1] ^ 1])}))


def test_a_row_id_of_several_columns() -> None:
    given = pa.RecordBatch.from_arrays(
        [pa.array(["a", "ab", ""]), pa.array(["x", "y", "z"]), pa.array([b"bc", b"c", b"abc"], pa.large_binary())],
        names=["order", "ssn", "line"],
    )
    at = table({"order": 0, "line": 2})
    done = sealed(given, at=at)
    cell = done.column("ssn")[0].as_py()
    aad = aad_of(b"customers", b"ssn", aad_of(b"a", b"bc"))
    assert AESGCM(secret_of(cell)).decrypt(cell[16:28], cell[28:], aad) == b"x"
    assert opened(done, at=at).column("ssn").to_pylist() == ["x", "y", "z"]
    # The same letters in other columns are another row.
    moved = pa.RecordBatch.from_arrays(
        [done.column(0).take([1, 0, 2]), done.column(1), done.column(2).take([1, 0, 2])], names=given.schema.names
    )
    with pytest.raises(errors.NotAuthentic, match="order='ab', line='c' "):
        opened(moved, at=at)


def test_an_integer_is_its_digits() -> None:
    done = sealed(batch(["a", "b"], pa.array([-5, 7], pa.int32())))
    again = batch(done.column(1), pa.array(["-5", "7"]))
    assert opened(again).column(1).to_pylist() == ["a", "b"]


@pytest.mark.parametrize("keys", ["keys", ""])
def test_text_that_is_no_utf_8(keys: str) -> None:
    values, ids = (pa.array([b"\xff", b"caf\xe9"], pa.binary()).view(pa.string()) for _ in range(2))
    [done] = Sealing(table(keys=keys), {"ssn": (TEXT,)}, NAMES).batches([batch(values, ids)])
    work = Opening(table(keys=keys), {"ssn": True}, NAMES, "holders:identity")
    [again] = work.batches([done])
    assert again.column(1).type == pa.string()
    assert again.column(1).view(pa.binary()).to_pylist() == [b"\xff", b"caf\xe9"]
    with pytest.raises(errors.NotAuthentic, match="id=ff"):
        list(work.batches([batch(done.column(1).take([1, 0]), ids)]))


def test_what_tells_no_rows_apart_is_refused() -> None:
    with pytest.raises(ValueError, match="'id' is null in 2 rows"):
        sealed(batch(["a", "b", "c"], pa.array([None, 1, None], pa.int64())))
    for ids in (pa.array([1.5]), pa.array([[1]]), pa.array([True])):
        with pytest.raises(TypeError, match="text or bytes are needed"):
            sealed(batch(["a"], ids))
    with pytest.raises(TypeError, match="text or bytes are needed"):
        sealed(batch([1], kind=pa.int64()))


CELLS = ["alpha", "beta", None, "gamma", "delta"]


def changed(done: pa.RecordBatch, change: dict[int, bytes]) -> pa.RecordBatch:
    cells = done.column(1).to_pylist()
    for index, cell in change.items():
        cells[index] = cell
    return batch(pa.array(cells, pa.binary()), done.column(0))


def test_a_cell_that_was_changed_is_named_by_its_row() -> None:
    done = sealed(batch(CELLS))
    cells = done.column(1).to_pylist()
    cell = cells[3]
    flips = [cell[:at] + bytes([cell[at] ^ 1]) + cell[at + 1 :] for at in (16, 28, len(cell) - 1)]
    cuts = [cell[:length] for length in (0, 15, 16, 28, 43, len(cell) - 1)]
    for wrong in (*flips, *cuts, cells[4], cell + b"\0"):
        with pytest.raises(errors.NotAuthentic, match="column 'ssn' in the row id='3' ") as raised:
            opened(changed(done, {3: wrong}))
        assert "gamma" not in str(raised.value)
    for wrong in (b"", cells[0][:15]):
        with pytest.raises(errors.NotAuthentic, match="id='0' "):
            opened(changed(done, {0: wrong}))
        with pytest.raises(errors.NotAuthentic, match="id='0' "):
            opened(changed(done.slice(0, 1), {0: wrong}))
    # Of several the first is named, also where the keys differ.
    other = sealed(batch(CELLS)).column(1).to_pylist()
    with pytest.raises(errors.NotAuthentic, match="id='1' "):
        opened(changed(done, {1: cells[0], 4: cells[0]}))
    with pytest.raises(errors.NotAuthentic, match="id='4' "):
        opened(changed(done, {0: other[0], 1: other[1], 4: other[3]}))


def test_a_cell_belongs_to_its_context_its_column_and_its_key() -> None:
    done = sealed(batch(CELLS))
    other = sealed(batch(CELLS)).column(1).to_pylist()
    with pytest.raises(errors.NotAuthentic):
        opened(done, at=table(context=b"custom"))
    renamed = done.rename_columns(["id", "name"])
    with pytest.raises(errors.NotAuthentic, match="'name'"):
        opened(renamed, {"name": True})
    cell = done.column(1)[0].as_py()
    with pytest.raises(errors.NotAuthentic, match="id='0' "):
        opened(changed(done, {0: other[0][:16] + cell[16:]}))
    # Where one ends and the next begins is authenticated too.
    with pytest.raises(errors.NotAuthentic):
        opened(renamed.rename_columns(["id", "sssn"]), {"sssn": True}, table(context=b"customer"))


def test_an_unknown_key_is_named() -> None:
    done = sealed(batch(CELLS))
    cell = done.column(1)[0].as_py()
    unknown = bytes(16)
    for wrong in (changed(done, {0: unknown + cell[16:]}), sealed(batch(["a"]), at=table(keys="others"))):
        with pytest.raises(errors.NotFound, match=r"data key is missing.*/keys/\w{32}\.seal") as raised:
            opened(wrong)
        assert raised.value.code == "io"


def test_a_key_file_that_is_wrong_is_named() -> None:
    done = sealed(batch(CELLS))
    [name] = os.listdir("keys")
    path = Path("keys", name)
    whole = path.read_bytes()
    for content, error in [
        (whole[:-1], errors.NotAuthentic),
        (b"no file", errors.NotSealstone),
        (b"", errors.NotSealstone),
        (sealstone.encrypt(bytes(32), recipients=OTHER_TEXT), errors.NoMatchingIdentity),
        (sealstone.encrypt(bytes(31), recipients=TEXT), errors.WrongLength),
        (sealstone.encrypt(bytes(32), recipients=TEXT), errors.NotAuthentic),
    ]:
        path.write_bytes(content)
        _key_folder._opened = _key_folder._Opened()
        # A key that is another one opens, and opens no cell.
        with pytest.raises(error, match=f"{name}|id='0'"):
            opened(done)
    path.write_bytes(whole)
    _key_folder._opened = _key_folder._Opened()
    assert opened(done).column(1).to_pylist() == CELLS


def test_a_process_keeps_the_keys_that_it_has_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_key_folder, "_KEPT", 2)
    parts = [sealed(batch(CELLS)) for _ in range(3)]
    reads: list[int] = []
    whole = _key_folder.KeyFolder._read

    def counted(self: Any, ids: Any, identities: str) -> Any:
        reads.append(len(ids))
        return whole(self, ids, identities)

    monkeypatch.setattr(_key_folder.KeyFolder, "_read", counted)
    for number in (0, 1, 0, 2, 0, 2):
        assert opened(parts[number]).column(1).to_pylist() == CELLS
    # The third key took the place of the second, which was not used for the longest time.
    assert len(reads) == 3
    assert opened(parts[1]).column(1).to_pylist() == CELLS
    assert len(reads) == 4


def test_rotation_gives_the_keys_to_others_and_leaves_the_data() -> None:
    done = sealed(batch(CELLS))
    Path("old").write_text(sealstone.export_identity(IDENTITY))
    report = jobs.rewrap(
        "keys", identities=f"file:{Path.cwd()}/old", recipients=OTHER_TEXT, replace=True, manifest="job", engine=None
    )
    assert (report.done, report.failed) == (1, 0)
    with pytest.raises(errors.NoMatchingIdentity):
        opened(done)
    Path("new").write_text(sealstone.export_identity(OTHER))
    assert opened(done, identities=f"file:{Path.cwd()}/new").column(1).to_pylist() == CELLS


def test_keys_are_in_any_file_system() -> None:
    folder = "memory://columns/keys"
    done = sealed(batch(CELLS), at=table(keys=folder))
    assert opened(done, at=table(keys=folder)).column(1).to_pylist() == CELLS
    assert [one.rsplit(".", 1)[-1] for one in fsspec.filesystem("memory").ls("/columns/keys", detail=False)] == ["seal"]
    with pytest.raises(errors.NotFound):
        opened(done, at=table(keys="memory://columns/other"))


@pytest.mark.parametrize("kind", ["hybrid", "x25519"])
def test_each_cell_as_a_message(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen, name = (IDENTITY, "holders:identity") if kind == "hybrid" else (OTHER, "holders:both")
    at = table(keys="")
    done = sealed(batch(CELLS), {"ssn": (str(sealstone.recipient_of(chosen)),)}, at)
    assert not Path("keys").exists()
    cell = done.column(1)[0].as_py()
    assert sealstone.open_message(chosen, cell, aad=aad_of(b"customers", b"ssn", b"0")) == b"alpha"
    assert opened(done, at=at, identities=name).column(1).to_pylist() == CELLS
    for wrong in (cell[:-1], cell[:-1] + bytes([cell[-1] ^ 1]), done.column(1)[1].as_py(), b"", b"\0" + cell[1:]):
        with pytest.raises(errors.NotAuthentic, match="'ssn' in the row id='0'"):
            opened(changed(done, {0: wrong}), at=at, identities=name)
    with pytest.raises(errors.NotAuthentic):
        opened(done, at=table(keys="", context=b"custom"), identities=name)
    assert sealed(batch([None]), at=at).column(1).to_pylist() == [None]


def test_a_message_for_another_kind_of_key() -> None:
    done = sealed(batch(CELLS), {"ssn": (OTHER_TEXT,)}, table(keys=""))
    with pytest.raises(errors.NoMatchingIdentity, match="id='0'"):
        opened(done, at=table(keys=""))


def test_what_workers_get_holds_no_secret() -> None:
    work = (Sealing(table(), {"ssn": (TEXT,)}, NAMES), Opening(table(), {"ssn": True}, NAMES, "holders:identity"))
    secret = str(sealstone.export_identity(IDENTITY))
    for one in work:
        data = pickle.dumps(one)
        assert pickle.loads(data) == one
        assert secret.encode() not in data


def test_rows_with_their_names() -> None:
    rows = Rows({"id": pa.array([b"\xff", b"a"], pa.binary())})
    assert [rows.name(0), rows.name(1)] == ["id=ff", "id='a'"]
