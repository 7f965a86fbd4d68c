"""The wall clock moves while a run goes on: nothing that waits, or is kept, looks at it."""

import ast
import time
from pathlib import Path

import pytest

import pytest_lockin
from pytest_lockin.errors import WorkerTimedOutError
from pytest_lockin.model.messages import EngineSpec, ProgramJob, RunProgram
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.settings import Settings
from pytest_lockin.workshop import Workshop

ROOT = Path(pytest_lockin.__file__).parent
# Module of the clock, what reads the wall clock in it.
WALL = {
    "time": {"time", "time_ns", "localtime", "gmtime", "ctime", "strftime"},
    "datetime": {"now", "utcnow", "today"},
}
# Who may: a waiver holds until a day, and days are the calendar's.
ALLOWED = {"trying.py": {"now"}}


def wall_clock_calls(path):
    """Names of calls that read the wall clock."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = ast.unparse(node.func.value)
        if owner == "time" and node.func.attr in WALL["time"]:
            yield node.func.attr
        if owner.rpartition(".")[2] in ("datetime", "date") and node.func.attr in WALL["datetime"]:
            yield node.func.attr


def test_no_time_out_budget_or_cache_reads_the_wall_clock():
    found = {
        str(path.relative_to(ROOT)): names
        for path in sorted(ROOT.rglob("*.py"))
        if (names := set(wall_clock_calls(path)))
    }
    assert found == ALLOWED


def test_the_search_finds_what_it_looks_for(tmp_path):
    (tmp_path / "a.py").write_text("import time\nimport datetime as dt\ntime.time()\ndt.datetime.now()\n")
    assert set(wall_clock_calls(tmp_path / "a.py")) == {"time", "now"}


@pytest.mark.parametrize("jump", [-10 * 365 * 86400.0, 10 * 365 * 86400.0])
def test_a_limit_is_as_long_as_it_was_when_the_clock_jumps(tmp_path, monkeypatch, jump):
    """Forward: an honest answer still comes in time. Back: an endless program is still ended."""
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "solution.py").write_text(
        "def quick(spark, tables):\n    import time\n    time.sleep(0.5)\n    return spark.range(1)\n\n\n"
        "def endless(spark, tables):\n    while True:\n        pass\n"
    )
    shop = Workshop(Settings(engine="sail", sandbox="bwrap"), hidden=(), cwd=str(tmp_path))
    try:
        job = ProgramJob(
            engine=EngineSpec(name="sail"), store=str(shop.folder / "results"), visible=(str(suite),)
        )
        worker = shop.worker("pytest_lockin.engines.serve:main", job)
        real, begun = time.time, time.monotonic()
        monkeypatch.setattr(time, "time", lambda: real() + (jump if time.monotonic() - begun > 0.2 else 0))
        quick = RunProgram(
            kind="python", folder=str(suite), entry_point=EntryPoint(module="solution", function="quick")
        )
        assert worker.ask(quick, 120).parts
        endless = RunProgram(
            kind="python", folder=str(suite), entry_point=EntryPoint(module="solution", function="endless")
        )
        with pytest.raises(WorkerTimedOutError):
            worker.ask(endless, 1)
    finally:
        monkeypatch.undo()
        shop.close()
