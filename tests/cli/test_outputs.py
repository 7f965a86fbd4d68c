"""Commands that run built references: panel, freeze, reexecute, controls. On Sail, at scale 0.01."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pytest_lockin.cli import main


@pytest.fixture(scope="module")
def refs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outputs") / "refs"
    assert main(["tasks", "build", "--unlocked", "--out", str(folder), "q03", "q22", "q42"]) == 0
    return folder


@pytest.fixture
def frozen(refs):
    assert main(["tasks", "freeze", "--refs", str(refs)]) == 0
    return refs


def test_frozen_outputs_are_reproduced_in_a_fresh_session(frozen, capsys):
    assert main(["tasks", "reexecute", "--refs", str(frozen)]) == 0
    assert "3 of 3 reproduced" in capsys.readouterr().out


def test_a_stored_output_that_somebody_changed_is_named(frozen, capsys):
    path = frozen / "q22" / "frozen.parquet"
    table = pq.read_table(path)
    pq.write_table(table.slice(1), path)
    assert main(["tasks", "reexecute", "--refs", str(frozen), "q22"]) == 1
    assert "q22: the stored output" in capsys.readouterr().out


def test_a_statement_that_drifts_from_its_output_shows_what_moved(frozen, capsys):
    statement = frozen / "q42" / "reference.sql"
    text = statement.read_text()
    try:
        statement.write_text(f"SELECT * FROM (\n{text.rstrip().removesuffix(';')}\n) AS all_of_it LIMIT 0")
        assert main(["tasks", "reexecute", "--refs", str(frozen), "q42"]) == 1
    finally:
        statement.write_text(text)
    out = capsys.readouterr().out
    assert "q42: DRIFTED" in out
    assert "0 of 1 reproduced" in out


def test_an_output_that_was_never_frozen_is_a_clear_error(tmp_path, refs, capsys):
    other = tmp_path / "refs"
    assert main(["tasks", "build", "--unlocked", "--out", str(other), "q03"]) == 0
    assert main(["tasks", "reexecute", "--refs", str(other)]) == 2
    assert "frozen.parquet" in capsys.readouterr().err


def test_the_panel_compares_every_pair_and_writes_it_down(refs, tmp_path, capsys):
    file = tmp_path / "panel.json"
    assert main(["tasks", "panel", "--refs", str(refs), "q03", "q22", "--json", str(file)]) == 0
    assert "2 of 2 tasks at scale 0.01 have references that agree" in capsys.readouterr().out
    assert set(json.loads(file.read_text())["tasks"]) == {"q03", "q22"}


def test_a_reference_that_disagrees_makes_its_task_unfit(refs, capsys):
    program = refs / "q03" / "reference_dataframe.py"
    text = program.read_text()
    try:
        program.write_text(
            text
            + "\n_solve = solve\n\ndef solve(spark, tables):\n    return _solve(spark, tables).limit(1)\n"
        )
        assert main(["tasks", "panel", "--refs", str(refs), "q03"]) == 1
    finally:
        program.write_text(text)
    assert "0 of 1 tasks" in capsys.readouterr().out


def test_a_folder_that_was_not_built_is_refused(tmp_path, capsys):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    assert main(["tasks", "panel", "--refs", str(tmp_path)]) == 2
    assert "lockin tasks build" in capsys.readouterr().err


def test_all_controls_are_right(tmp_path, capsys):
    """The paper's 57, and every kind of perturbation on every one of the thirty references."""
    assert main(["study", "controls"]) == 0
    out = capsys.readouterr().out
    right, of = map(int, re.search(r"controls: (\d+) of (\d+) right, 0 no-op", out).groups())
    assert right == of
    assert of >= 600
    assert "paper: 57 of 57" in out
