"""References as files under `refs/<task>/`: what is found, what settings mean, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_lockin.errors import UnfitReferenceError
from pytest_lockin.model.rules import CaseOfNames, Rules, Tolerance
from pytest_lockin.references.load import load_panel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def refs(tmp_path):
    """A folder of references with the task `q04` and a way to write into it."""
    (tmp_path / "q04").mkdir()
    return Refs(tmp_path)


class Refs:
    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, content: str | bytes = "SELECT 1") -> Refs:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return self

    def settings(self, text: str) -> Refs:
        return self.write("q04/reference.toml", text)

    def load(self, task_id: str = "q04"):
        return load_panel(self.root, task_id)

    def refused(self) -> UnfitReferenceError:
        with pytest.raises(UnfitReferenceError) as caught:
            self.load()
        return caught.value


def names(panel):
    return [reference.name for reference in panel.references]


def test_one_statement_is_enough(refs):
    panel = refs.write("q04/reference.sql", "SELECT a FROM t").load()
    assert [(each.kind, each.text) for each in panel.references] == [("sql", "SELECT a FROM t")]
    assert panel.rules == Rules()
    assert not panel.by_name
    assert panel.tables == ()


def test_all_references_form_a_panel_sql_first_stored_output_last(refs):
    for name in ("expected.parquet", "reference.py", "reference-2.sql", "reference.sql", "reference_b.py"):
        refs.write(f"q04/{name}")
    panel = refs.load()
    assert names(panel) == [
        "reference-2.sql", "reference.sql", "reference.py", "reference_b.py", "expected.parquet",
    ]  # fmt: skip
    assert [each.kind for each in panel.references] == ["sql", "sql", "python", "python", "stored"]


def test_other_files_beside_them_are_left_alone(refs):
    for name in ("reference.sql", "helper.py", "obligations.yaml", "notes.sql", "reference.sql.bak"):
        refs.write(f"q04/{name}")
    assert names(refs.load()) == ["reference.sql"]


def test_settings_choose_the_references_and_their_order(refs):
    refs.write("q04/reference.sql").write("q04/reference.py").write("q04/stored.parquet")
    refs.settings('references = ["stored.parquet", "reference.sql", "stored.parquet"]')
    panel = refs.load()
    assert [(each.name, each.kind) for each in panel.references] == [
        ("stored.parquet", "stored"),
        ("reference.sql", "sql"),
    ]


def test_stored_output_may_be_a_folder_of_part_files(refs):
    panel = refs.write("q04/expected.parquet/part-0.parquet").load()
    assert [each.kind for each in panel.references] == ["stored"]


def test_a_task_of_its_own_tables_does_not_see_the_shared_ones(refs):
    refs.write("q04/reference.sql").write("tables/shared.parquet").write("q04/tables/own.parquet")
    assert [name for name, _ in refs.load().tables] == ["own"]


def test_tables_of_all_tasks_serve_one_that_has_none(refs):
    refs.write("q04/reference.sql").write("tables/b.parquet").write("tables/a.parquet/part-0.parquet")
    assert refs.load().tables == tuple(
        (name, str(refs.root / "tables" / f"{name}.parquet")) for name in ("a", "b")
    )


def test_leftovers_of_a_writer_are_no_tables(refs):
    refs.write("q04/reference.sql")
    for name in (".a.parquet", "_tmp.parquet", "a.parquet.crc", "notes.txt", "a.parquet"):
        refs.write(f"tables/{name}")
    assert [name for name, _ in refs.load().tables] == ["a"]


@pytest.mark.parametrize("place", ["q04/big", "big"])
def test_data_names_a_folder_of_the_task_or_of_all(refs, place):
    refs.write("q04/reference.sql").write("tables/small.parquet").write(f"{place}/t.parquet")
    panel = refs.settings('data = "big"').load()
    assert panel.tables == (("t", str(refs.root / place / "t.parquet")),)


def test_every_compare_setting_reaches_the_rules(refs):
    refs.write("q04/reference.sql").settings("""
        [compare]
        columns = "name"
        names = "different"
        bags = ["Items"]
        strict_zero = true
        floats = { relative = 1e-6, absolute = 0.5 }
        [compare.tolerance]
        Amount = 0.01
        whole = 1
        "3" = { relative = 1e-3 }
    """)
    panel = refs.load()
    assert panel.by_name
    assert panel.rules == Rules(
        floats=Tolerance(relative=1e-6, absolute=0.5),
        per_column=(
            ("amount", Tolerance(relative=0.0, absolute=0.01)),
            ("whole", Tolerance(relative=0.0, absolute=1.0)),
            ("3", Tolerance(relative=1e-3)),
        ),
        names=CaseOfNames.DIFFERENT,
        bag_columns=("items",),
        strict_zero=True,
    )


def test_a_task_without_a_folder_is_refused(refs):
    with pytest.raises(UnfitReferenceError, match="a folder q05/"):
        refs.load("q05")


@pytest.mark.parametrize("task_id", ["..", ".", "", "q04/..", "q04/inner", "/etc"])
def test_a_task_id_is_a_folders_name_and_leads_nowhere_else(refs, task_id):
    refs.write("q04/inner/reference.sql").write("q04/reference.sql").write("reference.sql")
    with pytest.raises(UnfitReferenceError, match="under the references"):
        refs.load(task_id)


def test_a_folder_without_a_reference_is_refused_and_the_names_are_told(refs):
    error = refs.write("q04/refernce.sql").refused()
    assert "reference*.sql" in error.expected
    assert "expected.parquet" in error.expected


def test_a_chosen_reference_that_is_not_there_is_refused_by_name(refs):
    error = refs.write("q04/reference.sql").settings('references = ["refrence.sql"]').refused()
    assert "refrence.sql" in error.expected
    assert error.found == "no such file"


def test_a_chosen_reference_of_another_kind_is_refused(refs):
    error = refs.write("q04/notes.txt").settings('references = ["notes.txt"]').refused()
    assert error.found == "notes.txt"
    assert "*.sql" in error.expected


def test_a_folder_in_a_programs_place_is_refused(refs):
    error = refs.write("q04/reference.sql/inner.txt").refused()
    assert "reference.sql" in error.expected


@pytest.mark.parametrize(("content", "found"), [(b"SELECT '\xff\xfe'", "decode"), (b" \n", "empty")])
def test_sql_that_holds_no_text_is_refused(refs, content, found):
    error = refs.write("q04/reference.sql", content).refused()
    assert found in error.found


def test_a_data_folder_that_is_not_there_is_refused(refs):
    error = refs.write("q04/reference.sql").settings('data = "scale1"').refused()
    assert "scale1" in error.expected


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("data = ", "Invalid value"),
        ("reference = []", "reference"),
        ("references = 'reference.sql'", "references"),
        ("[compare]\ncolums = 'name'", "colums"),
        ("[compare]\ncolumns = 'names'", "names"),
        ("[compare]\ncolumns = 3", "columns"),
        ("[compare]\nnames = 'strict'", "strict"),
        ("[compare]\nbags = 'a'", "bags"),
        ("[compare]\nstrict_zero = 'yes'", "strict_zero"),
        ("[compare.tolerance]\na = 'small'", "tolerance"),
        ("[compare.tolerance]\na = { absolut = 1.0 }", "absolut"),
        ("[compare.tolerance]\na = -0.5", "-0.5"),
        ("[compare.floats]\nrelative = 1.0", "1.0"),
        ("[compare.floats]\nabsolute = inf", "inf"),
    ],
)
def test_settings_that_cannot_be_used_are_refused_with_the_place(refs, text, found):
    error = refs.write("q04/reference.sql").settings(text).refused()
    assert found in f"{error.expected} {error.found}"
    assert "reference.toml" in f"{error.expected} {error.hint}"
