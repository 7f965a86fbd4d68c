"""The controls of the comparator, and controls of the controls: no-ops and wrong answers must be seen."""

import datetime as dt
import json
from decimal import Decimal
from random import Random

import pyarrow as pa
import pytest

from pytest_lockin.errors import StudyError
from pytest_lockin.frames import Frame
from pytest_lockin.frames.store import digest_frame
from pytest_lockin.frames.types import from_arrow
from pytest_lockin.model.agreement import Agreement, Category
from pytest_lockin.studies.controls import render_controls, run, run_controls
from pytest_lockin.studies.controls.kinds import ALL_ASPECTS, Answer, Aspect, Kind, Pair
from pytest_lockin.studies.controls.oracle import NoOp, Verified, measure_changes, verify_pair
from pytest_lockin.studies.controls.report import Group, dump_controls, read_controls
from pytest_lockin.studies.controls.run import KINDS, PAPER_REJECTS, extend_reference, run_control

ACCEPTED = {
    "reload",
    "row_permutation",
    "rechunk",
    "nullability",
    "metadata",
    "tie_order",
    "limit_tie",
    "map_order",
    "negative_zero",
}
KIND = {kind.name: kind for kind in KINDS}


def frame(columns, spark=True):
    table = pa.table(columns)
    fields = [
        {"name": name, "type": from_arrow(kind), "nullable": True, "metadata": {}}
        for name, kind in zip(table.column_names, table.schema.types, strict=True)
    ]
    return Frame.of(table, json.dumps({"type": "struct", "fields": fields}) if spark else "")


def money(*values):
    return pa.array([None if one is None else Decimal(one) for one in values], pa.decimal128(17, 2))


REFERENCES = {
    "q01": frame(
        {
            "name": pa.array(["x", "y", "y", None]),
            "sum(sales)": money("1.50", "2.25", "2.25", None),
            "count": pa.array([1, 2, 2, 3], pa.int64()),
        }
    ),
    "one_cell": frame({"only": pa.array([7], pa.int64())}),
    "empty": frame({"a": pa.array([], pa.string()), "b": pa.array([], pa.float64())}),
    "flags": frame({"flag": pa.array([True, False])}),
    "all_null": frame({"a": pa.array([None, None], pa.string())}),
    "twice_named": frame({"a": pa.array([1, 2], pa.int64())}),
    "arrow_only": frame(
        {
            "day": pa.array([dt.date(2020, 1, 1)] * 3),
            "ratio": pa.array([0.0, float("nan"), None]),
            "wide": pa.array([Decimal("12345678901234567890123456789012345.12")] * 3, pa.decimal128(38, 2)),
            "list": pa.array([[1, 2], None, []], pa.list_(pa.int32())),
        },
        spark=False,
    ),
    "nested": frame(
        {
            "when": pa.array([dt.datetime(9999, 12, 31, tzinfo=dt.UTC)] * 2, pa.timestamp("us", "UTC")),
            "map": pa.array([[("a", 1), ("b", 2)], [("a", 1)]], pa.map_(pa.string(), pa.int64())),
            "pair": pa.array([{"x": 1, "y": "p"}, None], pa.struct([("x", pa.int32()), ("y", pa.string())])),
        }
    ),
}


@pytest.fixture(scope="module")
def report():
    return run_controls(REFERENCES, {"q23b": REFERENCES["q01"]})


def test_every_control_is_real_and_right(report):
    wrong = [(one.kind, one.task, one.fault or one.observed) for one in report.records if not one.right]
    assert wrong == []
    assert report.all_right
    assert report.no_ops == 0


def test_thirty_references_make_more_than_six_hundred_controls():
    assert len(KINDS) * 30 >= 600
    assert {kind.name for kind in KINDS if kind.answer is Answer.ACCEPT} == ACCEPTED
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_the_papers_fifty_seven():
    """33 loads, 3 permutations, 7 x 3 rejections; 36 accepts, 21 rejects, 24 verified perturbations."""
    study = {f"q{number:02}": REFERENCES["q01"] for number in range(30)}
    inventory = dict.fromkeys(("q23b", "q54", "q85"), REFERENCES["q01"])
    records = [one for one in run_controls(study, inventory, kinds=()).records if one.group is Group.PAPER]
    assert len(records) == 57
    assert sum(one.answer is Answer.ACCEPT for one in records) == 36
    assert sum(one.kind == "reload" for one in records) == 33
    assert sum(one.kind != "reload" for one in records) == 24
    assert {one.kind for one in records if one.answer is Answer.REJECT} == set(PAPER_REJECTS)
    assert all(one.right and not one.added for one in records)


def test_controls_are_the_same_every_time(report):
    again = run_controls(dict(reversed(REFERENCES.items())), {"q23b": REFERENCES["q01"]})
    assert again == report


def test_references_are_left_as_they_are(report):
    digests = {name: digest_frame(one) for name, one in REFERENCES.items()}
    run_controls(REFERENCES)
    assert report.total
    assert {name: digest_frame(one) for name, one in REFERENCES.items()} == digests


def test_what_a_reference_lacked_is_on_record(report):
    added = {(one.kind, one.task): one.added for one in report.records if one.group is Group.EXTENDED}
    assert added["nan_for_null", "q01"] == ("double with a NULL from column sum(sales)",)
    assert added["nan_for_null", "arrow_only"] == ()
    assert added["map_order", "nested"] == ()
    assert added["row_deletion", "empty"] == ("1 rows of plain values",)
    assert added["cells_swapped", "one_cell"] == ("1 rows of plain values", "row numbers")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("task", REFERENCES)
def test_each_kind_changes_what_it_says_and_nothing_else(kind, task):
    state = extend_reference(kind, REFERENCES[task])
    pair = kind.perturb(state.frame, Random(f"{kind.name}:{task}"))
    assert verify_pair(kind, pair) == Verified()
    changed = measure_changes(pair.expected, pair.found)
    assert kind.changes <= changed
    assert not changed & kind.keeps


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_perturbation_that_does_nothing_is_a_no_op_not_a_pass(kind):
    """Identity in the place of each kind's perturbation: only the unchanged reload could be fooled."""
    idle = Kind(
        name=kind.name,
        title=kind.title,
        answer=kind.answer,
        perturb=lambda frame, _random: Pair(expected=frame, found=frame),
        needs=kind.needs,
        changes=kind.changes,
        keeps=kind.keeps,
        proof=kind.proof,
    )
    record = run_control(idle, "q01", REFERENCES["q01"], Group.EXTENDED)
    assert record.is_no_op
    assert not record.right
    assert record.observed == "not compared"


def test_a_perturbation_that_changes_something_else_is_no_control():
    """A numeric change that drops a row as well would be rejected for the wrong reason."""
    pair = Pair(expected=REFERENCES["q01"], found=REFERENCES["one_cell"])
    assert isinstance(verify_pair(KIND["numeric_value"], pair), NoOp)
    assert measure_changes(pair.expected, pair.found) == ALL_ASPECTS


def test_numeric_and_null_changes_keep_schema_and_row_count():
    for name in ("numeric_value", "null_insertion"):
        pair = KIND[name].perturb(REFERENCES["q01"], Random(1))
        assert measure_changes(pair.expected, pair.found) == {Aspect.ROWS}


def _answer(*, agrees):
    return lambda *_: Agreement(agrees=agrees, category=None if agrees else Category.VALUES)


def test_a_comparator_that_accepts_everything_fails_the_rejections(monkeypatch):
    monkeypatch.setattr(run, "agree", _answer(agrees=True))
    report = run_controls({"q01": REFERENCES["q01"]})
    assert not report.all_right
    wrong = {one.kind for one in report.records if not one.right}
    assert wrong == {kind.name for kind in KINDS} - ACCEPTED


def test_a_comparator_that_rejects_everything_passes_nothing(monkeypatch):
    """A rejection counts only where the reference agrees with itself."""
    monkeypatch.setattr(run, "agree", _answer(agrees=False))
    report = run_controls({"q01": REFERENCES["q01"]})
    assert report.right == 0
    assert "reference rejected against itself" in "\n".join(render_controls(report))


def test_a_comparator_that_raises_is_wrong_and_the_run_goes_on(monkeypatch):
    def fail(*_):
        raise ValueError("no ordering for maps")

    monkeypatch.setattr(run, "agree", fail)
    report = run_controls({"q01": REFERENCES["q01"]})
    assert (report.right, report.no_ops) == (0, 0)
    assert "raised ValueError: no ordering for maps" in report.records[0].observed


def test_no_references_is_an_error_not_a_clean_sheet():
    with pytest.raises(StudyError, match="lockin tasks build"):
        run_controls({})


def test_the_report_counts_by_kind_and_survives_saving(report, tmp_path):
    lines = render_controls(report)
    assert lines[-1] == f"controls: {report.total} of {report.total} right, 0 no-op"
    assert any(line.startswith("NaN for NULL") for line in lines)
    path = tmp_path / "controls.json"
    path.write_text(dump_controls(report), "utf-8")
    assert read_controls(path) == report
    path.write_text('{"format": 1}', "utf-8")
    with pytest.raises(StudyError, match=r"controls\.json"):
        read_controls(path)
