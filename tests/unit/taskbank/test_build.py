import json
import os
import shutil
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from pytest_lockin.errors import BuildError, LockError
from pytest_lockin.taskbank import build as build_module
from pytest_lockin.taskbank import data, lock
from pytest_lockin.taskbank.build import BuildOptions, build, hash_file, read_build
from pytest_lockin.taskbank.loader import load_obligations
from pytest_lockin.taskbank.tables import find_table, read_tables

SMALL = BuildOptions(scale=0.01, locked=False)
LARGER = BuildOptions(scale=0.02, locked=False)

ARROW_TYPES = {"bigint": "int64", "int": "int32", "string": "string", "date": "date32[day]"}


def snapshot(folder):
    return {
        path.relative_to(folder).as_posix(): hash_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def refs(built, tmp_path):
    """A copy of the session's build, to do things to."""
    return shutil.copytree(built, tmp_path / "refs")


@pytest.fixture
def copied_data(built, monkeypatch):
    """Builds take the session's data whatever the scale: for tests that are not about the generator."""

    def copy(folder, scale, say):
        shutil.copytree(built / "tables", folder, dirs_exist_ok=True)
        known = read_build(built)
        return {
            name: data.TableFacts(rows=known.rows[name], fingerprint=known.fingerprints[name])
            for name in known.rows
        }

    monkeypatch.setattr(build_module, "write_tables", copy)


def test_a_task_gets_statement_program_company_and_hidden_obligations(built):
    there = {
        path.relative_to(built / "q03").as_posix() for path in (built / "q03").rglob("*") if path.is_file()
    }
    assert there == {"reference.sql", "reference_dataframe.py", "company/duckdb.sql", "obligations.yaml"}
    assert {item.source for item in load_obligations(built / "q03" / "obligations.yaml")} == {"hidden"}
    assert "def solve(" in (built / "q03" / "reference_dataframe.py").read_text()


def test_only_spark_sql_looks_like_a_reference(built):
    assert {path.name for path in built.glob("*/reference*.sql")} == {"reference.sql"}


def test_tables_have_exactly_the_shipped_types(built):
    for table in read_tables():
        schema = pq.read_schema(built / "tables" / f"{table.name}.parquet")
        expected = [
            (c.name, ARROW_TYPES.get(c.type) or c.type.replace("decimal", "decimal128").replace(",", ", "))
            for c in table.columns
        ]
        assert [(field.name, str(field.type)) for field in schema] == expected


def test_data_keeps_the_keys_and_nullability_of_the_schemas(built):
    for table in read_tables():
        rows = pq.read_table(built / "tables" / f"{table.name}.parquet")
        keys = rows.select(list(table.key))
        assert keys.group_by(list(table.key)).aggregate([]).num_rows == rows.num_rows, table.name
        nulls = {c.name for c in table.columns if not c.nullable and rows.column(c.name).null_count}
        assert nulls == set(), table.name


def test_a_second_build_changes_nothing(refs):
    before = snapshot(refs)
    stamps = {path: path.stat().st_mtime_ns for path in refs.rglob("*")}
    again = build(refs, ["q03"], SMALL)
    assert again.changed == ()
    assert snapshot(refs) == before
    assert {path: path.stat().st_mtime_ns for path in refs.rglob("*") if path != refs} == {
        path: stamp for path, stamp in stamps.items() if path != refs
    }


def test_the_same_scale_gives_the_same_rows(built, tmp_path):
    other = build(tmp_path / "refs", ["q03"], SMALL).build
    first = read_build(built)
    assert (other.rows, other.fingerprints) == (first.rows, first.fingerprints)


def test_another_scale_replaces_the_data_and_keeps_the_tasks(refs):
    before = read_build(refs)
    after = build(refs, ["q98"], LARGER).build
    assert after.scale == 0.02
    assert after.rows["store_sales"] > before.rows["store_sales"]
    assert pq.read_metadata(refs / "tables" / "store_sales.parquet").num_rows == after.rows["store_sales"]
    assert set(after.tasks) == {*before.tasks, "q98"}


def test_a_task_somebody_removed_does_not_come_back(refs):
    shutil.rmtree(refs / "q05")
    after = build(refs, ["q03"], SMALL).build
    assert "q05" not in after.tasks
    assert not (refs / "q05").exists()


def test_files_of_the_users_own_stay(refs, copied_data):
    (refs / "q03" / "expected.parquet").write_bytes(b"mine")
    (refs / "late_orders").mkdir()
    (refs / "late_orders" / "reference.sql").write_text("select 1")
    build(refs, ["q03"], LARGER)
    assert (refs / "q03" / "expected.parquet").read_bytes() == b"mine"
    assert (refs / "late_orders" / "reference.sql").read_text() == "select 1"


def test_an_edited_reference_is_not_overwritten_unless_forced(refs, copied_data):
    file = refs / "q03" / "reference.sql"
    file.write_text("select 1")
    before = snapshot(refs)
    with pytest.raises(BuildError, match=r"q03.reference\.sql\n.*changed since it was built"):
        build(refs, ["q03"], LARGER)
    assert snapshot(refs) == before
    build(refs, ["q03"], BuildOptions(scale=0.01, locked=False, force=True))
    assert "i_manufact_id" in file.read_text()


def test_a_file_that_was_there_first_is_not_overwritten(tmp_path, copied_data):
    build(tmp_path / "refs", ["q03"], SMALL)
    (tmp_path / "refs" / "q05").mkdir()
    (tmp_path / "refs" / "q05" / "reference.sql").write_text("mine")
    with pytest.raises(BuildError, match="not built by lockin"):
        build(tmp_path / "refs", ["q05"], SMALL)
    assert (tmp_path / "refs" / "q05" / "reference.sql").read_text() == "mine"


def test_a_damaged_table_heals(refs, copied_data):
    table = refs / "tables" / "item.parquet"
    known = table.read_bytes()
    table.write_bytes(b"x")
    assert "tables/item.parquet" in build(refs, [], SMALL).changed
    assert table.read_bytes() == known


def test_a_folder_of_other_things_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(BuildError, match=r"found thesis\.txt, but no build\.json"):
        build(tmp_path, ["q03"], SMALL)
    assert snapshot(tmp_path) == {"thesis.txt": hash_file(tmp_path / "thesis.txt")}


@pytest.mark.parametrize("record", ["{", "[]", '{"format": 99}', "{}"])
def test_a_record_that_cannot_be_read_is_refused(tmp_path, record):
    (tmp_path / "build.json").write_text(record)
    with pytest.raises(BuildError, match="a build record of format 1"):
        build(tmp_path, ["q03"], SMALL)


def test_an_unknown_task_leaves_no_folder(tmp_path):
    with pytest.raises(BuildError, match="did you mean q03"):
        build(tmp_path / "refs", ["q3"], SMALL)
    assert not (tmp_path / "refs").exists()


@pytest.mark.parametrize("scale", [0.0, -1.0, 0.009, float("nan"), float("inf")])
def test_a_scale_at_which_the_generator_never_ends_is_refused(tmp_path, scale):
    with pytest.raises(BuildError, match=r"a scale of 0\.01 or more"):
        build(tmp_path / "refs", ["q03"], BuildOptions(scale=scale, locked=False))


def test_a_place_that_is_no_folder_is_named(tmp_path):
    (tmp_path / "refs").write_text("a file")
    with pytest.raises(BuildError, match="found File exists"):
        build(tmp_path / "refs", ["q03"], SMALL)


def test_a_build_that_fails_leaves_things_as_they_were(refs, monkeypatch):
    before = snapshot(refs)

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build_module, "write_tables", fail)
    with pytest.raises(BuildError, match="found No space left on device"):
        build(refs, ["q98"], LARGER)
    assert snapshot(refs) == before
    assert list(refs.glob(".building-*")) == []


def test_a_build_that_fails_takes_its_new_folder_away(tmp_path, monkeypatch):
    monkeypatch.setattr(data, "_find_extension", lambda _: tmp_path / "none")
    with pytest.raises(BuildError):
        build(tmp_path / "refs", ["q03"], SMALL)
    assert not (tmp_path / "refs").exists()


HALF_A_BUILD = """
import sys, time
from pathlib import Path
from pytest_lockin.taskbank import build

def write_half(folder, scale, say):
    folder.mkdir()
    (folder / "item.parquet").write_bytes(b"half")
    print("half", flush=True)
    time.sleep(600)

build.write_tables = write_half
build.build(Path(sys.argv[1]), ["q03"], build.BuildOptions(locked=False))
"""


def test_a_killed_build_leaves_nothing_a_next_one_cannot_mend(tmp_path, copied_data):
    out = tmp_path / "refs"
    with subprocess.Popen(
        [sys.executable, "-c", HALF_A_BUILD, str(out)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "half\n"
        child.kill()
    assert [path.name.split("-")[0] for path in out.iterdir()] == [".building"]
    build(out, ["q03"], SMALL)
    assert list(out.glob(".building-*")) == []
    assert read_build(out).finished


def test_a_build_interrupted_while_moving_in_is_redone(refs, copied_data):
    record = json.loads((refs / "build.json").read_text())
    (refs / "build.json").write_text(json.dumps({**record, "finished": False}))
    (refs / "tables" / "item.parquet").unlink()
    (refs / "q03" / "reference.sql").write_text("half")
    assert build(refs, [], SMALL).build == read_build(refs)
    assert read_build(refs).finished
    assert "half" not in (refs / "q03" / "reference.sql").read_text()


def test_two_builds_at_once_wait_for_each_other(tmp_path):
    out = tmp_path / "refs"
    command = [sys.executable, "-m", "pytest_lockin.cli", "tasks", "build", "--unlocked", "--out", str(out)]
    children = [subprocess.Popen([*command, task]) for task in ("q03", "q05")]
    assert [child.wait(timeout=120) for child in children] == [0, 0]
    assert set(read_build(out).tasks) == {"q03", "q05"}


def test_without_the_extra_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(BuildError, match=r"pip install 'pytest-lockin\[tpcds\]'"):
        build(tmp_path / "refs", ["q03"], SMALL)


def test_an_extension_for_another_duckdb_is_named():
    with pytest.raises(BuildError, match=r"duckdb-extension-tpcds for DuckDB 0\.0\.1"):
        data._find_extension("0.0.1")


def test_no_network_is_asked_for(tmp_path):
    """The build works with every way out closed (a network namespace of its own, where the kernel allows)."""
    code = (
        "import socket, pathlib, sys\n"
        "def closed(*a, **k): raise AssertionError('network')\n"
        "socket.socket.connect = closed\n"
        "from pytest_lockin.cli import main\n"
        "sys.exit(main(['tasks', 'build', '--unlocked', '--scale', '0.01', '--out', sys.argv[1], 'q03']))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "refs")]
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], check=False, capture_output=True).returncode == 0:
        command = [unshare, "-rn", *command]
    home = {**os.environ, "HOME": str(tmp_path)}
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=home)
    assert run.returncode == 0, run.stderr


def test_locked_data_is_recognised_and_other_data_refused(built, monkeypatch):
    made = read_build(built)
    lock.require_data(0.01, made.fingerprints)
    lock.require_data(0.5, {})
    with pytest.raises(LockError, match=r"found others in item\n.*made by duckdb"):
        lock.require_data(0.01, {**made.fingerprints, "item": "0" * 64})


def test_unknown_tables_are_named():
    assert find_table("item").key == ("i_item_sk",)
    with pytest.raises(BuildError, match="one of: call_center"):
        find_table("items")
