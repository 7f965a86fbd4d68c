"""Which changed files can have to do with a suite."""

from pathlib import Path

import pytest

from pytest_lockin.model.suite import Suite
from pytest_lockin.settings import Settings
from pytest_lockin.suite.touched import is_touched, only_program

SUITE = Suite(
    id="s/a/test_solution.py", path="/r/s/a/test_solution.py", task_id="q1", task_file="/r/t/q1.yaml"
)
SETTINGS = Settings(reference="/r/refs", fixtures_folder=Path("/r/fixtures"))
FOLDERS = [Path("/r/s/a"), Path("/r/s/b")]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("/r/s/a/solution.py", True),
        ("/r/s/a/plan.md", True),
        ("/r/t/q1.yaml", True),
        ("/r/refs/q1/reference.sql", True),
        ("/r/refs/tables/orders.parquet", True),
        ("/r/fixtures/q1/boundary.json", True),
        ("/r/src/helpers.py", True),
        ("/r/pyproject.toml", True),
        ("/r/s/conftest.py", True),
        ("/r/s/b/solution.py", False),
        ("/r/refs/q2/reference.py", False),
        ("/r/fixtures/q2/boundary.json", False),
        ("/r/README.md", False),
        ("/r/t/q2.yaml", False),
    ],
)
def test_a_change_touches_a_suite_by_where_it_lies(changed, expected):
    assert is_touched(SUITE, [Path(changed)], FOLDERS, SETTINGS) is expected


def test_no_change_touches_nothing():
    assert not is_touched(SUITE, [], FOLDERS, SETTINGS)


def test_tests_are_unchanged_where_only_the_program_changed():
    program = [Path("/r/s/a/solution.py")]
    assert only_program(SUITE, [program[0], Path("/r/src/other.py")], program)
    assert not only_program(SUITE, [*program, Path("/r/s/a/test_solution.py")], program)
    assert not only_program(SUITE, [Path("/r/s/a/conftest.py")], program)
