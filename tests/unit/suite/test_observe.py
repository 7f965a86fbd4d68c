"""The recorder: whatever way the program is imported and called, its calls are kept and nobody notices."""

import functools
import importlib
import importlib.machinery
import importlib.util
import sys
import textwrap

import pyarrow as pa
import pytest

from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.suite import EntryPoint, RaisedAt, Returned, ReturnedOther
from pytest_lockin.suite.observe import Recorder, candidate_file, watch_candidate


class Table:
    """Stands for a DataFrame: rows that may fail when they are read."""

    def __init__(self, *ids, fails=False):
        self.ids, self.fails, self.reads = ids, fails, 0


class FakeEngine:
    def is_frame(self, value):
        return isinstance(value, Table)

    def to_frame(self, table):
        table.reads += 1
        if table.fails:
            raise RuntimeError("cannot be resolved\nmore")
        arrow = pa.table({"id": pa.array(table.ids, pa.int64())})
        return Frame(table=arrow, schema_json='{"type":"struct","fields":[]}', rows=arrow.num_rows)


@pytest.fixture
def recorder(tmp_path):
    return Recorder(FakeEngine(), FrameStore(tmp_path / "store", 1 << 20), EntryPoint())


def record(recorder, function, *args, **kwargs):
    return recorder._wrap(function)(*args, **kwargs)


def rows(outcome):
    return [(name, frame.rows) for name, frame in outcome.parts]


def test_inputs_and_output_are_kept_and_the_very_object_is_returned(recorder):
    result = Table(1, 2)
    assert (
        record(recorder, lambda spark, tables: result, None, {"orders": Table(1), "items": Table()}) is result
    )
    (seen,) = recorder.observations
    assert [(each.parameter, each.key, each.table, each.frame.rows) for each in seen.arguments] == [
        ("tables", "orders", "orders", 1),
        ("tables", "items", "items", 0),
    ]
    assert rows(seen.outcome) == [("", 2)]


def test_tables_by_parameter_name_and_by_keyword(recorder):
    record(recorder, lambda spark, orders, items=None: orders, None, Table(1), items=Table(2, 3))
    assert [(each.table, each.frame.rows) for each in recorder.observations[0].arguments] == [
        ("orders", 1),
        ("items", 2),
    ]


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        ((Table(1), Table()), [("0", 1), ("1", 0)]),
        ({"a": Table(1), "b": Table(1, 2)}, [("a", 1), ("b", 2)]),
    ],
)
def test_several_outputs_are_kept_by_position_or_name(recorder, result, parts):
    record(recorder, lambda: result)
    assert rows(recorder.observations[0].outcome) == parts


@pytest.mark.parametrize(
    ("result", "name"), [(3, "int"), (None, "NoneType"), ((), "tuple"), ([Table(), 1], "list")]
)
def test_anything_else_is_kept_by_its_type(recorder, result, name):
    record(recorder, lambda: result)
    assert recorder.observations[0].outcome == ReturnedOther(type=name)


def test_a_call_that_raises_is_kept_and_raises_the_same(recorder):
    error = KeyError("amount")

    def solve():
        raise error

    with pytest.raises(KeyError) as caught:
        record(recorder, solve)
    assert caught.value is error
    outcome = recorder.observations[0].outcome
    assert (outcome.type, outcome.message, outcome.at) == ("KeyError", "'amount'", RaisedAt.CALL)


def test_an_output_that_fails_when_read_does_not_fail_the_test(recorder):
    lazy = Table(fails=True)
    assert record(recorder, lambda: lazy) is lazy
    outcome = recorder.observations[0].outcome
    assert (outcome.type, outcome.message, outcome.at) == (
        "RuntimeError",
        "cannot be resolved",
        RaisedAt.OUTPUT,
    )


def test_an_input_that_cannot_be_read_is_left_out(recorder):
    record(recorder, lambda tables: Table(1), {"bad": Table(fails=True), "good": Table(1)})
    assert [each.table for each in recorder.observations[0].arguments] == ["good"]


def test_only_the_outermost_call_of_a_recursion_is_the_suites(recorder):
    def solve(depth):
        return wrapped(depth - 1) if depth else Table(1)

    wrapped = recorder._wrap(solve)
    wrapped(3)
    assert len(recorder.observations) == 1


def test_after_a_call_that_raised_the_next_one_is_recorded(recorder):
    def solve(fails):
        if fails:
            raise ValueError("asked to")
        return Table()

    wrapped = recorder._wrap(solve)
    with pytest.raises(ValueError, match="asked to"):
        wrapped(True)
    wrapped(False)
    assert [type(seen.outcome).__name__ for seen in recorder.observations] == ["Raised", "Returned"]


def test_an_input_used_again_is_read_once(recorder):
    table = Table(1)
    record(recorder, lambda orders: Table(), table)
    record(recorder, lambda orders: Table(), table)
    assert table.reads == 1


def test_wrong_arguments_fail_as_they_do_without_us(recorder):
    with pytest.raises(TypeError, match="positional argument"):
        record(recorder, lambda spark, tables: Table())
    assert recorder.observations[0].outcome.type == "TypeError"


def test_the_recorder_looks_like_the_function(recorder):
    def solve(spark, tables):
        """Words."""

    wrapped = recorder._wrap(solve)
    assert (wrapped.__name__, wrapped.__doc__, wrapped.__wrapped__) == ("solve", "Words.", solve)


# How a candidate's module comes to be executed


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A suite's folder on the path; loaders are as they were afterwards."""
    loader = importlib.machinery.SourceFileLoader
    monkeypatch.setattr(loader, "exec_module", loader.exec_module)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = dict(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - set(before):
        del sys.modules[name]


def write(folder, text, name="solution.py"):
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(textwrap.dedent(text))
    importlib.invalidate_caches()
    return file


PROGRAM = "def solve(spark, tables):\n    return tables['orders']\n"


def watch(recorder, folder, entry_point=None):
    recorder._entry_point = entry_point or EntryPoint()
    watch_candidate(recorder, recorder._entry_point, folder)


def test_an_ordinary_import(recorder, folder):
    write(folder, PROGRAM)
    watch(recorder, folder)
    importlib.import_module("solution").solve(None, {"orders": Table()})
    assert recorder.installed
    assert len(recorder.observations) == 1


def test_an_import_from_a_file_location(recorder, folder):
    file = write(folder, PROGRAM)
    watch(recorder, folder)
    spec = importlib.util.spec_from_file_location("under_another_name", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.solve(None, {"orders": Table()})
    assert len(recorder.observations) == 1


def test_a_module_under_two_names_records_each_call_once(recorder, folder):
    write(folder, PROGRAM, "pack/solution.py")
    write(folder, "", "pack/__init__.py")
    watch(recorder, folder / "pack")
    sys.path.insert(0, str(folder / "pack"))
    one, two = importlib.import_module("pack.solution"), importlib.import_module("solution")
    one.solve(None, {"orders": Table()})
    two.solve(None, {"orders": Table()})
    assert len(recorder.observations) == 2


def test_a_reload_is_recorded_again_and_not_twice(recorder, folder):
    write(folder, PROGRAM)
    watch(recorder, folder)
    module = importlib.import_module("solution")
    importlib.reload(module).solve(None, {"orders": Table()})
    assert len(recorder.observations) == 1


def test_a_decorated_entry_point(recorder, folder):
    write(
        folder,
        """
        import functools

        def logged(function):
            @functools.wraps(function)
            def inner(*args):
                return function(*args)
            return inner

        @logged
        def solve(spark, tables):
            return tables["orders"]
        """,
    )
    watch(recorder, folder)
    importlib.import_module("solution").solve(None, {"orders": Table(1)})
    assert rows(recorder.observations[0].outcome) == [("", 1)]


def test_another_module_of_the_same_name_elsewhere_is_not_the_candidate(recorder, folder, tmp_path_factory):
    write(folder, PROGRAM)
    watch(recorder, folder)
    elsewhere = write(tmp_path_factory.mktemp("other"), PROGRAM)
    spec = importlib.util.spec_from_file_location("solution", elsewhere)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.solve(None, {"orders": Table()})
    assert recorder.observations == []


def test_the_entry_point_may_be_in_a_package_beside_the_suite(recorder, folder):
    write(folder, "def run(spark, tables):\n    return tables['orders']\n", "jobs/daily.py")
    write(folder, "", "jobs/__init__.py")
    watch(recorder, folder, EntryPoint(module="jobs.daily", function="run"))
    importlib.import_module("jobs.daily").run(None, {"orders": Table()})
    assert len(recorder.observations) == 1


def test_a_program_without_the_entry_point_is_left_alone(recorder, folder):
    write(folder, "solve = 3\n")
    watch(recorder, folder)
    assert importlib.import_module("solution").solve == 3
    assert not recorder.installed


def test_an_import_that_fails_shows_no_frame_of_ours(recorder, folder):
    write(folder, "raise ImportError('broken')\n")
    watch(recorder, folder)
    with pytest.raises(ImportError) as caught:
        __import__("solution")
    names = [entry.path for entry in caught.traceback]
    assert [str(name).rpartition("/")[2] for name in names] == ["test_observe.py", "solution.py"]


def test_the_candidates_file_is_a_module_or_a_package(folder):
    assert candidate_file(EntryPoint(module="program"), folder) is None
    package = write(folder, "", "program/__init__.py")
    assert candidate_file(EntryPoint(module="program"), folder) == package
    module = write(folder, "", "program.py")
    assert candidate_file(EntryPoint(module="program"), folder) == module


def test_partial_functions_are_recorded_too(recorder):
    def solve(spark, tables, limit):
        return Table(limit)

    record(recorder, functools.partial(solve, limit=1), None, {})
    assert isinstance(recorder.observations[0].outcome, Returned)
