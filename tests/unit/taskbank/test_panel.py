"""References compared with each other: known differences are explained, all others make a task unfit."""

import json
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pytest
from references import PACKAGES, stored_members

from pytest_lockin.errors import BuildError, TaskFileError, UnfitReferenceError
from pytest_lockin.frames import Frame
from pytest_lockin.taskbank.bank import list_task_ids
from pytest_lockin.taskbank.dialect.company import duckdb_member, open_duckdb, run_duckdb
from pytest_lockin.taskbank.dialect.known import Dialect, Known, Rung, read_dialect, read_reasons
from pytest_lockin.taskbank.dialect.translate import to_duckdb
from pytest_lockin.taskbank.panel import Answer, Member, compare_panel, list_members, measure_panels
from pytest_lockin.taskbank.panel_report import read_panels, render_panels, write_panels
from pytest_lockin.taskbank.shipped import PACKAGE

GOLDEN = Path(__file__).parents[2] / "golden"
SCALES = {"0.01": GOLDEN / "reference_panel_sf001.json", "1": GOLDEN / "reference_panel_sf1.json"}


def decimals(*values, scale=2, precision=17, name="total"):
    kind = pa.decimal128(precision, scale)
    return pa.table({name: pa.array([None if v is None else Decimal(v) for v in values], kind)})


def doubles(*values, name="total"):
    return pa.table({name: pa.array(values, pa.float64())})


def compare(left, right, *known, engines=("spark", "duckdb")):
    answers = [
        Answer(member=engine, engine=engine, frame=Frame.of(table))
        for engine, table in zip(engines, (left, right), strict=True)
    ]
    (pair,) = compare_panel("t", answers, known).pairs
    return pair


def knows(rung, *columns, engine="duckdb"):
    return Known(engine=engine, columns=columns or ("total",), rung=rung, why="sum-widens")


def test_equal_tables_are_strict():
    pair = compare(decimals("1.10"), decimals("1.10"))
    assert (pair.rung, pair.fit, pair.columns) == (Rung.STRICT, True, ())


def test_known_wider_decimal_is_fit_with_its_reason():
    pair = compare(decimals("1.10"), decimals("1.10", precision=38), knows(Rung.TYPES))
    assert (pair.rung, pair.fit) == (Rung.TYPES, True)
    assert [(note.column, note.why) for note in pair.columns] == [("total", "sum-widens")]


def test_wider_decimal_nobody_knew_of_is_unfit():
    pair = compare(decimals("1.10"), decimals("1.10", precision=38))
    assert (pair.rung, pair.fit) == (Rung.TYPES, False)
    assert pair.unexplained == ("column total: decimal(17,2) against decimal(38,2)",)


def test_difference_known_on_another_engine_explains_nothing():
    pair = compare(decimals("1.10"), decimals("1.10", precision=38), knows(Rung.TYPES, engine="sail"))
    assert not pair.fit


def test_members_of_one_engine_have_no_known_differences():
    wide = decimals("1.10", precision=38)
    assert not compare(decimals("1.10"), wide, knows(Rung.TYPES), engines=("duckdb", "duckdb")).fit


def test_known_reason_for_a_type_does_not_excuse_a_cent():
    pair = compare(decimals("1.10"), decimals("1.11", precision=38), knows(Rung.TYPES))
    assert (pair.rung, pair.fit) == (Rung.NONE, False)


def test_a_cent_in_a_hundred_million_is_no_matter_of_float_cast():
    """Only columns known to be doubles are compared as doubles; a total beside them stays exact."""
    left = decimals("123456789.10").append_column("ratio", pa.array([Decimal("0.50")]))
    right = decimals("123456789.11", precision=38).append_column("ratio", pa.array([0.5]))
    pair = compare(left, right, knows(Rung.TYPES), knows(Rung.FLOAT_CAST, "ratio"))
    assert not pair.fit


def test_double_for_a_known_quotient_needs_the_float_cast():
    pair = compare(decimals("0.3333333333", scale=10), doubles(0.3333333333), knows(Rung.FLOAT_CAST))
    assert (pair.rung, pair.fit) == (Rung.FLOAT_CAST, True)


@pytest.mark.parametrize(("found", "fit"), [(0.666666666, True), (0.6666661, True), (0.666664, False)])
def test_last_place_covers_one_unit_of_the_rounded_decimal_and_no_more(found, fit):
    pair = compare(decimals("0.666667", scale=6), doubles(found), knows(Rung.LAST_PLACE))
    assert pair.fit is fit
    assert pair.rung is (Rung.LAST_PLACE if fit else Rung.NONE)


def test_last_place_needs_to_be_known():
    pair = compare(decimals("0.666667", scale=6), doubles(0.666666666), knows(Rung.FLOAT_CAST))
    assert (pair.rung, pair.unexplained) == (Rung.NONE, ("the rows differ",))


def test_two_decimals_cut_off_and_rounded_are_one_unit_apart():
    left, right = decimals("0.666667", None, scale=6), decimals("0.666666", None, scale=6)
    known = knows(Rung.LAST_PLACE, engine="sail")
    assert compare(left, right, known, engines=("spark", "sail")).rung is Rung.LAST_PLACE
    assert not compare(left, decimals("0.666666", "0", scale=6), known, engines=("spark", "sail")).fit


def test_another_name_is_never_explained():
    pair = compare(decimals("1.10"), decimals("1.10", name="sum"), knows(Rung.LAST_PLACE))
    assert pair.unexplained == ("column 0 is named sum for total",)
    assert not pair.fit


def test_missing_row_is_unfit():
    assert compare(decimals("1.10", "2.20"), decimals("1.10"), knows(Rung.LAST_PLACE)).rung is Rung.NONE


def test_member_that_fails_makes_its_pairs_unfit_and_says_why():
    def fail(task):
        raise UnfitReferenceError(expected="an answer", found=f"a crash of {task}", hint="look")

    good = Member(name="one", engine="spark", answer=lambda task: Frame.of(decimals("1.10")))
    report = measure_panels(
        ["t"], [good, Member(name="two", engine="duckdb", answer=fail)], scale="0.01", versions={}
    )
    assert report.unfit == ("t",)
    assert any("two: expected an answer, found a crash of t" in line for line in render_panels(report))


def test_one_member_alone_is_no_company():
    answer = Answer(member="one", engine="spark", frame=Frame.of(decimals("1.10")))
    assert not compare_panel("t", [answer]).fit


def test_report_names_tasks_without_rows():
    """Agreement about nothing is said to be that."""
    members = [
        Member(name=name, engine="spark", answer=lambda task: Frame.of(decimals())) for name in ("a", "b")
    ]
    report = measure_panels(["t"], members, scale="0.01", versions={})
    assert "no rows at this scale, so nothing is shown: t" in render_panels(report)


def test_saved_report_is_read_back(tmp_path):
    members = [
        Member(name=name, engine="spark", answer=lambda task: Frame.of(decimals("1.10")))
        for name in ("a", "b")
    ]
    file = tmp_path / "new" / "panel.json"
    write_panels(measure_panels(["t"], members, scale="1", versions={"x": "2"}), file)
    saved = read_panels(file)
    assert saved["tasks"] == {"t": [{"left": "a", "right": "b", "rung": "strict", "rows": [1, 1]}]}
    assert (saved["scale"], saved["versions"], saved["unfit"]) == ("1", {"x": "2"}, [])
    assert [path.name for path in file.parent.iterdir()] == ["panel.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}'])
def test_file_that_is_no_report_is_refused(tmp_path, text):
    file = tmp_path / "panel.json"
    file.write_text(text)
    with pytest.raises(UnfitReferenceError, match="measure the panel again"):
        read_panels(file)


def test_reference_that_was_not_built_names_the_command(tmp_path):
    member, _ = list_members(tmp_path, "sail", lambda file: Frame.of(decimals("1")))
    assert member.name == "sail-sql"
    with pytest.raises(UnfitReferenceError, match=r"lockin tasks build --out .* q02"):
        member.answer("q02")


# Dialects.


def test_every_dialect_file_can_be_read_and_every_reason_is_used():
    dialects = {file.stem: read_dialect(file.stem) for file in (PACKAGE / "dialect").glob("q*.yaml")}
    used = {entry.why for dialect in dialects.values() for entry in dialect.known}
    assert used == set(read_reasons())
    assert all(
        entry.rung in {Rung.TYPES, Rung.FLOAT_CAST, Rung.LAST_PLACE}
        for d in dialects.values()
        for entry in d.known
    )


def test_task_without_a_file_has_nothing_known():
    assert read_dialect("q04") == Dialect()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("duckdb:\n  differs:\n  - {columns: [a], rung: types, why: magic}\n", "line 3"),
        ("duckdb:\n  differs:\n  - {columns: [a], rung: somehow, why: sum-widens}\n", "line 3"),
        ("duckdb:\n  patches: []\n", "line 2"),
    ],
)
def test_dialect_file_errors_name_file_and_line(tmp_path, text, message):
    file = tmp_path / "q99.yaml"
    file.write_text(text)
    with pytest.raises(TaskFileError, match=message):
        read_dialect("q99", file)


def test_translation_writes_out_where_nulls_sort():
    assert "NULLS FIRST" in to_duckdb("select a from t order by a limit 1")


def test_translation_names_the_columns_a_statement_leaves_unnamed():
    dialect = Dialect(names=(("duckdb", ((1, "(a / b)"),)),))
    assert 'AS "(a / b)"' in to_duckdb("select a, a / b from t", dialect)


def test_name_for_a_column_that_is_not_there_is_refused():
    dialect = Dialect(names=(("duckdb", ((7, "x"),)),))
    with pytest.raises(BuildError, match="position 7"):
        to_duckdb("select a from t", dialect)


def test_text_that_is_no_sql_is_refused():
    with pytest.raises(BuildError, match="a statement in Spark's SQL"):
        to_duckdb("select from where (")


def test_duckdb_without_tables_says_how_to_get_them(tmp_path):
    with pytest.raises(BuildError, match="lockin tasks build"), open_duckdb(tmp_path):
        pass


def test_statement_duckdb_refuses_is_an_error_of_ours(built):
    with open_duckdb(built / "tables") as connection, pytest.raises(UnfitReferenceError, match="nowhere"):
        run_duckdb(connection, "SELECT * FROM nowhere")


# The thirty tasks.


@pytest.fixture(scope="module")
def report(built, on_sail):
    with open_duckdb(built / "tables") as connection:
        members = [duckdb_member(built, connection), *stored_members("sail", on_sail)]
        return measure_panels(list_task_ids(), members, scale="0.01", versions={})


def test_statement_and_program_on_sail_and_statement_on_duckdb_agree_for_every_task(report):
    assert report.unfit == (), "\n".join(render_panels(report))


def test_panel_is_as_committed(report, tmp_path):
    """The pair of this report that the committed one has too; `renew_panel.py` makes that one anew."""
    measured_with = read_panels(SCALES["0.01"])["versions"]
    if measured_with != {name: version(name) for name in PACKAGES}:
        pytest.skip(f"measured with {measured_with}; renew it with renew_panel.py")
    write_panels(report, tmp_path / "now.json")
    committed, now = read_panels(SCALES["0.01"])["tasks"], read_panels(tmp_path / "now.json")["tasks"]
    for task, pairs in now.items():
        assert pairs[0] in committed[task]


@pytest.mark.parametrize("scale", SCALES)
def test_committed_report_covers_every_task_and_finds_all_fit(scale):
    saved = read_panels(SCALES[scale])
    assert (saved["scale"], saved["unfit"]) == (scale, [])
    assert set(list_task_ids()) <= set(saved["tasks"])
    assert {"spark-sql", "dataframe", "duckdb"} <= set(saved["members"])
    for pairs in saved["tasks"].values():
        by_name = {(pair["left"], pair["right"]): pair for pair in pairs}
        assert by_name["spark-sql", "dataframe"]["rung"] == "strict"
        if scale == "1":
            assert by_name["spark-sql", "dataframe"]["rows"][0] > 0


def test_every_known_difference_was_seen():
    """A difference that no measurement shows would excuse something for nothing."""
    seen = {
        (task, saved["members"][pair["right"]], name.lower(), difference["why"])
        for file in SCALES.values()
        for saved in [json.loads(file.read_text())]
        for task, pairs in saved["tasks"].items()
        for pair in pairs
        if pair["left"] == "spark-sql"
        for difference in pair.get("differs", ())
        for name in difference["columns"]
    }
    unseen = [
        (file.stem, entry.engine, entry.columns)
        for file in (PACKAGE / "dialect").glob("q*.yaml")
        for entry in read_dialect(file.stem).known
        # One column is enough: those of an entry are made alike, and not each needs such a value.
        if not any((file.stem, entry.engine, column.lower(), entry.why) in seen for column in entry.columns)
    ]
    assert unseen == []
