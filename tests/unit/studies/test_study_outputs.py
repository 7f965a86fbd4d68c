"""Post-hoc checks of stored outputs: tolerances, the ladder, re-execution; and the two commands."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from study_runs import report_entry, write_report, write_run

from pytest_lockin.errors import StudyError
from pytest_lockin.frames import Frame
from pytest_lockin.frames.store import digest_frame, write_frame
from pytest_lockin.model.agreement import Category
from pytest_lockin.studies.command import load_references, run_controls_on, run_evaluate
from pytest_lockin.studies.planaudit import evaluate
from pytest_lockin.studies.planaudit.evaluate import load_frame
from pytest_lockin.studies.planaudit.ladder import NotRecovered, Rung, climb_ladder
from pytest_lockin.studies.planaudit.robustness import TOLERANCES, Failed, Held, check_robustness, is_close
from pytest_lockin.studies.reexecution import (
    Drifted,
    Reproduced,
    SameContent,
    Tampered,
    check_reexecution,
    describe_drift,
    explain_drift,
    is_reproduced,
)


def frame(**columns):
    return Frame.of(pa.table(columns))


def _held(robustness):
    return [isinstance(outcome, Held) for _, outcome in robustness.outcomes]


def _reason(robustness):
    (reason,) = {outcome.reason for _, outcome in robustness.outcomes if isinstance(outcome, Failed)}
    return reason


# -- tolerances


def test_the_four_published_tolerances():
    assert [float(one) for one in TOLERANCES] == [1e-8, 1e-6, 1e-5, 1e-4]


def test_a_looser_tolerance_forgives_more():
    expected = frame(k=["a", "b"], x=[100.0, 1.0])
    assert _held(check_robustness(expected, frame(k=["b", "a"], x=[1.0, 100.0]))) == [True] * 4
    assert _held(check_robustness(expected, frame(k=["a", "b"], x=[100.00005, 1.0]))) == [
        False,
        True,
        True,
        True,
    ]
    assert _held(check_robustness(expected, frame(k=["a", "b"], x=[100.005, 1.0]))) == [
        False,
        False,
        False,
        True,
    ]
    assert _held(check_robustness(expected, frame(k=["a", "b"], x=[101.0, 1.0]))) == [False] * 4


def test_the_references_size_counts_not_the_outputs():
    assert is_close(2.0, 1.0, 0.5)
    assert not is_close(1.0, 2.0, 0.3)
    assert is_close(2.0, 1.5, 0.2)
    assert not is_close(1.5, 1.0, 0.24)


def test_null_nan_and_infinity_are_kinds_of_their_own():
    def one(expected, found):
        return check_robustness(
            frame(k=[1], x=pa.array([expected], pa.float64())),
            frame(k=[1], x=pa.array([found], pa.float64())),
        ).ever_holds

    nan, inf = math.nan, math.inf
    assert one(None, None)
    assert one(nan, nan)
    assert one(inf, inf)
    assert not one(inf, -inf)
    assert not one(nan, None)
    assert not one(None, nan)
    assert not one(1.0, nan)
    assert not one(1e300, inf)
    assert not one(inf, 1e300)


def test_non_doubles_stay_exact():
    expected = frame(k=[1], amount=pa.array([Decimal("1.00")], pa.decimal128(9, 2)), x=[1.0])
    found = frame(k=[1], amount=pa.array([Decimal("1.01")], pa.decimal128(9, 2)), x=[1.0])
    assert _reason(check_robustness(expected, found, keys=("k",))) == "values differ in 1 of 1 rows"
    assert _reason(check_robustness(expected, found)) == "2 unmatched keys"


def test_duplicate_and_unmatched_keys_fail_in_either_direction():
    one, two = frame(k=["a", "b"], x=[1.0, 2.0]), frame(k=["a", "a"], x=[1.0, 1.0])
    assert _reason(check_robustness(two, one)) == "1 duplicate keys in the reference"
    assert _reason(check_robustness(one, two)) == "1 duplicate keys in the output"
    more = frame(k=["a", "b", "c"], x=[1.0, 2.0, 3.0])
    assert _reason(check_robustness(one, more)) == "1 unmatched keys"
    assert _reason(check_robustness(more, one)) == "1 unmatched keys"


def test_other_names_or_types_fail_before_any_row():
    expected = frame(k=[1], x=[1.0])
    assert _reason(check_robustness(expected, frame(k=[1], y=[1.0]))) == "names or types differ"
    assert _reason(check_robustness(expected, frame(k=["1"], x=[1.0]))) == "names or types differ"
    assert check_robustness(expected, frame(K=[1], X=[1.0])).ever_holds


def test_a_reference_without_doubles_is_compared_exactly():
    expected = frame(k=[1, 1])
    assert check_robustness(expected, frame(k=[1, 1])).is_exact
    assert _held(check_robustness(expected, frame(k=[1, 1]))) == [True] * 4
    assert _reason(check_robustness(expected, frame(k=[1, 2]))) == "values"


def test_keys_beyond_pythons_calendar_align():
    when = pa.array([253402300800000000], pa.int64()).cast(pa.timestamp("us", "UTC"))
    assert check_robustness(frame(k=when, x=[1.0]), frame(k=when, x=[1.0])).ever_holds


@pytest.mark.parametrize("key", ["nope", "x", "twice"])
def test_a_key_must_be_one_exact_column(key):
    table = pa.Table.from_arrays(
        [pa.array([1]), pa.array([2]), pa.array([1.0])], names=["twice", "twice", "x"]
    )
    with pytest.raises(StudyError, match="alignment key"):
        check_robustness(Frame.of(table), Frame.of(table), keys=(key,))


# -- the ladder


def test_each_rung_recovers_its_own_kind_of_difference():
    expected = frame(a=pa.array([1, 2], pa.int32()), b=["x", "y"])
    assert climb_ladder(expected, frame(a=pa.array([2, 1], pa.int32()), b=["y", "x"])).recovered is Rung.EXACT
    renamed = frame(total=pa.array([1, 2], pa.int32()), b=["x", "y"])
    assert climb_ladder(expected, renamed).recovered is Rung.NAMES
    doubles = frame(total=[1.0, 2.0], b=["x", "y"])
    assert climb_ladder(expected, doubles).recovered is Rung.FLOATS
    assert climb_ladder(expected, frame(total=[1.0, 2.5], b=["x", "y"])).recovered == NotRecovered()


def test_spark_types_that_arrow_forgets_stay_apart_when_names_are_overlooked():
    def one(name, kind):
        field = {"name": name, "type": kind, "nullable": True, "metadata": {}}
        table = pa.table({name: pa.array([0], pa.timestamp("us"))})
        return Frame.of(table, json.dumps({"type": "struct", "fields": [field]}))

    assert climb_ladder(one("a", "timestamp_ntz"), one("b", "timestamp_ntz")).recovered is Rung.NAMES
    assert climb_ladder(one("a", "timestamp_ntz"), one("b", "timestamp")).recovered is not Rung.NAMES


def test_sorting_matters_only_where_order_does():
    """By multisets the last rung can recover nothing that the rung before did not."""
    expected, found = frame(a=[1, 2]), frame(a=[2, 1])
    assert climb_ladder(expected, found).recovered is Rung.EXACT
    assert climb_ladder(expected, found).recovered_in_order is Rung.SORTED
    assert climb_ladder(expected, expected).recovered_in_order is Rung.EXACT
    assert climb_ladder(expected, frame(b=[1, 2])).recovered_in_order is Rung.NAMES


def test_precision_differences_that_hide_value_differences_are_not_recovered():
    expected = frame(a=pa.array([Decimal("1.00")], pa.decimal128(27, 2)))
    assert (
        climb_ladder(expected, frame(a=pa.array([Decimal("1.00")], pa.decimal128(17, 2)))).recovered
        is Rung.FLOATS
    )
    assert (
        climb_ladder(expected, frame(a=pa.array([Decimal("1.01")], pa.decimal128(17, 2)))).recovered
        == NotRecovered()
    )


def test_run_drift_in_rows_is_recovered_by_no_rung():
    assert climb_ladder(frame(a=list(range(100))), frame(a=list(range(94)))).recovered == NotRecovered()


# -- re-execution


def test_a_rebuilt_output_is_reproduced_by_hash():
    one = frame(a=[1, 2], b=["x", None])
    chunked = Frame.of(pa.concat_tables([one.table.slice(0, 1), one.table.slice(1)]))
    drift = check_reexecution("q04", one, chunked, locked_digest=digest_frame(one))
    assert drift == Reproduced(task="q04", digest=digest_frame(one))
    assert is_reproduced(drift)


def test_another_row_order_is_the_same_content():
    drift = check_reexecution("q04", frame(a=[1, 2]), frame(a=[2, 1]))
    assert isinstance(drift, SameContent)
    assert is_reproduced(drift)
    assert "hash moved" in describe_drift(drift)
    assert explain_drift(drift) == (describe_drift(drift),)


def test_drift_names_what_moved():
    drift = check_reexecution("q02", frame(a=[1] * 53), frame(a=[1] * 60))
    assert isinstance(drift, Drifted)
    assert not is_reproduced(drift)
    assert drift.agreement.category is Category.ROW_COUNT
    assert describe_drift(drift).startswith("q02: DRIFTED in row_count; 60 rows rebuilt against 53 stored")
    assert any("53" in line and "60" in line for line in explain_drift(drift)[1:])
    schema = check_reexecution("q35", frame(a=[1]), frame(a=["1"]))
    assert schema.agreement.category is Category.STRUCTURE


def test_a_store_that_is_not_the_locked_one_is_named_before_anything_is_compared():
    one = frame(a=[1])
    drift = check_reexecution("q04", one, one, locked_digest="0" * 64)
    assert isinstance(drift, Tampered)
    assert not is_reproduced(drift)
    assert "not the locked one" in describe_drift(drift)


# -- commands


@pytest.fixture
def folders(tmp_path):
    """One run with a stored output, and its reference."""
    runs, references = tmp_path / "runs", tmp_path / "refs"
    write_run(runs / "one-pass" / "q17")
    write_report(
        runs, [report_entry("q17", "one-pass/q17/test_solution.py", "false_pass", {"passed": 2}, "alias")]
    )
    write_frame(frame(k=["a"], x=[1.0]), references / "q17" / "expected.arrow")
    pq.write_table(pa.table({"k": ["a"], "y": [1.0]}), runs / "one-pass" / "q17" / "output.parquet")
    return runs, references


def test_stored_outputs_get_the_post_hoc_checks(folders):
    runs, references = folders
    (check,) = evaluate(runs, references=load_references(references)).outputs
    assert (check.condition, check.task) == ("one-pass", "q17")
    assert check.ladder.recovered is Rung.NAMES
    assert not check.robustness.ever_holds


def test_alignment_keys_come_from_the_study_file(folders):
    runs, references = folders
    (runs / "study.json").write_text(json.dumps({"format": 1, "alignment": {"q17": ["nope"]}}), "utf-8")
    with pytest.raises(StudyError, match="alignment key 'nope'"):
        evaluate(runs, references=load_references(references))


def test_evaluate_prints_tables_and_writes_what_was_asked_for(folders, tmp_path, capsys):
    runs, references = folders
    wanted = {
        name: tmp_path / "out" / name for name in ("figure.svg", "tables.md", "runs.json", "labels.csv")
    }
    options = ["--svg", "--markdown", "--json", "--labels"]
    paths = [str(path) for path in wanted.values()]
    flags = [text for pair in zip(options, paths, strict=True) for text in pair]
    assert run_evaluate([str(runs), "--references", str(references), *flags]) == 0
    text = capsys.readouterr().out
    assert "Table III." in text
    assert "names by position" in text
    assert all(path.stat().st_size for path in wanted.values())


def test_evaluate_ends_with_one_where_sources_contradict(folders, capsys):
    runs, _ = folders
    write_report(
        runs, [report_entry("q17", "one-pass/q17/test_solution.py", "true_pass", {"passed": 2}, "alias")]
    )
    assert run_evaluate([str(runs)]) == 1
    assert "CONTRADICTION one-pass/q17" in capsys.readouterr().out


def test_controls_run_print_and_save_and_then_fill_table_two(folders, tmp_path, capsys):
    runs, references = folders
    saved = tmp_path / "controls.json"
    assert run_controls_on(load_references(references), json=saved) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("right, 0 no-op")
    assert run_evaluate([str(runs), "--controls", str(saved)]) == 0
    assert "1/1 accepted" in capsys.readouterr().out


def test_a_folder_without_references_is_refused(tmp_path):
    with pytest.raises(StudyError, match=r"no <task>/expected\.arrow"):
        load_references(tmp_path)


def test_parquet_written_by_spark_keeps_its_schema(tmp_path):
    schema = '{"type":"struct","fields":[{"name":"t","type":"timestamp_ntz","nullable":true,"metadata":{}}]}'
    table = pa.table({"t": pa.array([0], pa.timestamp("us"))})
    marked = table.replace_schema_metadata({"org.apache.spark.sql.parquet.row.metadata": schema})
    pq.write_table(marked, tmp_path / "output.parquet")
    assert load_frame(tmp_path / "output.parquet").schema_json == schema
    (tmp_path / "output.parquet").write_bytes(b"torn")
    with pytest.raises(StudyError, match="Parquet"):
        load_frame(tmp_path / "output.parquet")


def test_tolerances_are_exact_fractions():
    assert Fraction(1, 10**8) in TOLERANCES
