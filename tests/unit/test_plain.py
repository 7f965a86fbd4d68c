"""Model values as plain data and back: nothing is lost, and nothing that does not fit is believed."""

from __future__ import annotations

import dataclasses
import json
import typing
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_lockin.model.messages import (
    MESSAGES,
    AskReference,
    Collected,
    CoverageSpec,
    PhaseDone,
    ProgramJob,
    ProgramReturned,
    RunPhase,
    Start,
    SuiteJob,
)
from pytest_lockin.model.plain import PlainError, from_plain, to_plain
from pytest_lockin.model.report import Report
from pytest_lockin.model.suite import LiveResult, Raised, RaisedAt, StoredFrame

# What is drawn is a whole tree; a slow machine says nothing about it.
some = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def values(kind):
    """A strategy for a model class, taken from its annotations alone."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return st.builds(kind, **{name: values(hint) for name, hint in hints.items()})
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is tuple:
        if arguments[-1] is Ellipsis:
            return st.lists(values(arguments[0]), max_size=2).map(tuple)
        return st.tuples(*(values(each) for each in arguments))
    if arguments:
        return st.one_of(*(values(each) for each in arguments))
    if kind is float:
        return st.floats(allow_nan=False)
    # JSON and MessagePack both take 64-bit numbers.
    return st.integers(-(2**63), 2**63 - 1) if kind is int else st.from_type(kind)


@pytest.mark.parametrize("kind", [*MESSAGES, LiveResult], ids=lambda kind: kind.__name__)
@some
@given(data=st.data())
def test_a_message_comes_back_as_it_went(kind, data):
    value = data.draw(values(kind))
    packed = msgspec.msgpack.encode(to_plain(value))
    assert from_plain(kind, msgspec.msgpack.decode(packed)) == value


@some
@given(values(LiveResult))
def test_a_result_comes_back_from_a_json_file(result):
    text = json.dumps(to_plain(result))
    assert from_plain(LiveResult, json.loads(text)) == result


START = {"$type": "Start", "handler": "a:b", "scratch": "/s", "sys_path": []}


def test_the_type_may_be_left_out_where_only_one_fits():
    assert from_plain(Start, {"handler": "a:b", "scratch": "/s"}) == Start(handler="a:b", scratch="/s")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("handler", 1),
        ("handler", None),
        ("handler", b"a:b"),
        ("sys_path", "abc"),
        ("sys_path", [1]),
        ("sys_path", None),
    ],
)
def test_a_field_of_another_type_is_refused_and_named(field, value):
    with pytest.raises(PlainError, match=f"Start.{field}"):
        from_plain(Start, {**START, field: value})


@pytest.mark.parametrize("value", [1, "yes", None])
def test_a_switch_is_a_switch(value):
    """Whether a program is trusted is not for a truthy value to decide."""
    job = {"engine": {"name": "sail"}, "store": "/s", "trusted": value}
    with pytest.raises(PlainError, match=r"ProgramJob\.trusted"):
        from_plain(ProgramJob, job)


@pytest.mark.parametrize("unknown", ["surprise", "__class__", 3, None])
def test_an_unknown_field_is_refused(unknown):
    with pytest.raises(PlainError, match="unknown"):
        from_plain(Start, {**START, unknown: 1})


def test_a_missing_field_is_refused():
    with pytest.raises(PlainError, match="handler"):
        from_plain(Start, {"scratch": "/s"})


@pytest.mark.parametrize("plain", [None, 1, "Start", [], [START]])
def test_what_is_no_object_is_refused(plain):
    with pytest.raises(PlainError, match="expected an object"):
        from_plain(Start, plain)


@pytest.mark.parametrize("tag", ["Finish", "RunPhase", 5, None, ""])
def test_an_object_of_another_type_is_refused(tag):
    with pytest.raises(PlainError, match="Start"):
        from_plain(Start, {**START, "$type": tag})


def test_a_member_of_a_union_is_told_by_its_type():
    raised = Raised(type="ValueError", message="no", at=RaisedAt.OUTPUT)
    observation = {
        "number": 1, "place": "call", "fixture": "", "arguments": [], "outcome": to_plain(raised),
    }  # fmt: skip
    report = {"report": "{}", "observations": [observation]}
    assert from_plain(PhaseDone, report).observations[0].outcome == raised
    for wrong in ("Finish", None, "Returned"):
        observation["outcome"] = {**to_plain(raised), "$type": wrong}
        with pytest.raises(PlainError):
            from_plain(PhaseDone, report)


def test_an_enum_takes_its_own_words_only():
    for wrong in ("later", "CALL", 1, ["call"], {}):
        with pytest.raises(PlainError):
            from_plain(Raised, {"type": "x", "message": "", "at": wrong})


def test_none_is_taken_only_where_it_may_stand():
    plain = to_plain(_job())
    assert from_plain(SuiteJob, {**plain, "coverage": None}).coverage is None
    with pytest.raises(PlainError, match=r"SuiteJob\.store"):
        from_plain(SuiteJob, {**plain, "store": None})


def test_a_nested_error_names_the_whole_way_to_it():
    plain = to_plain(_job())
    plain["coverage"]["config_file"] = 3
    with pytest.raises(
        PlainError, match=r"SuiteJob\.coverage: CoverageSpec\.config_file: expected str, found int"
    ):
        from_plain(SuiteJob, plain)


def test_a_tuple_of_fixed_length_takes_that_many():
    with pytest.raises(PlainError, match="expected 2 values, found 3"):
        from_plain(ProgramReturned, {"parts": [["a", {}, 1]]})


def test_a_whole_number_is_a_float_and_a_truth_value_is_no_number():
    assert from_plain(ProgramReturned, {"parts": [], "seconds": 2}).seconds == 2.0
    for wrong in (True, "2"):
        with pytest.raises(PlainError):
            from_plain(ProgramReturned, {"parts": [], "seconds": wrong})
    with pytest.raises(PlainError, match=r"rows: expected int, found bool"):
        from_plain(StoredFrame, {"digest": "", "rows": True, "columns": 1, "size": 1})


def test_every_message_carries_its_type():
    for message in (Collected(cases=()), RunPhase(case_id="a", when="call"), AskReference(arguments=())):
        assert to_plain(message)["$type"] == type(message).__name__


def test_the_report_is_plain_too():
    assert from_plain(Report, to_plain(Report(version="1"))) == Report(version="1")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Either:
    value: int | str


def test_a_scalar_in_a_union_takes_the_kind_that_fits():
    assert from_plain(_Either, {"value": "a"}) == _Either(value="a")
    assert from_plain(_Either, {"value": 1}) == _Either(value=1)
    with pytest.raises(PlainError):
        from_plain(_Either, {"value": 1.5})


def _job():
    spec = from_plain(SuiteJob, {
        "suite_id": "a", "path": "/a", "entry_point": {}, "engine": {"name": "sail"}, "store": "/s", "root": "/",
    })  # fmt: skip
    return dataclasses.replace(spec, coverage=CoverageSpec(config_file="", settings_json="{}"))
