"""`lockin witness`: a pytest case that checks one obligation, on the few rows on which breaking it shows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError, SettingsError

if TYPE_CHECKING:
    import argparse

    from pytest_lockin.fixtures.casetext import Style
    from pytest_lockin.model.task import Obligation, Task


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what to check, where references and fixtures are, and where the case goes."""
    add = parser.add_argument
    add("task", help="a task's id, or the path of a task.yaml or its folder")
    add("obligation", help="the id of one of its obligations")
    add("--suite", type=Path, metavar="FOLDER", help="the program's folder: the case calls it as it is there")
    add("--write", type=Path, metavar="FILE", help="write the case here (default: print it)")
    add("--refs", type=Path, default=Path("refs"), help="the references' folder (default: refs)")
    add("--fixtures", type=Path, default=Path("fixtures"), help="folder of the fixtures (default: fixtures)")
    add("--engine", default="sail", choices=["sail", "spark"], help="where it is tried (default: sail)")


def write_witness(arguments: argparse.Namespace, task: Task) -> int:
    """Write or print the case.

    Raises:
        SettingsError: the file is there already.
        FixturesError: no such obligation, no fixtures, or no case can be written.
    """
    from pytest_lockin.fixturegen.freeze import load_fixtures
    from pytest_lockin.fixtures.cases import write_case
    from pytest_lockin.fixtures.making import find_source
    from pytest_lockin.taskbank.loader import load_hidden_obligations

    if arguments.write is not None and arguments.write.exists():
        raise SettingsError(
            expected="a file that is not there yet",
            found=f"--write {arguments.write}",
            hint="give another name: nothing is overwritten",
        )
    source = find_source(task, arguments.refs)
    obligations = (*task.obligations, *load_hidden_obligations(arguments.refs / task.id))
    fixtures = load_fixtures(arguments.fixtures, task.id)
    if not fixtures:
        raise FixturesError(
            expected=f"fixtures of {task.id} in {arguments.fixtures}",
            found="none",
            hint=f"make them with `lockin fixtures build {task.id}`, or give --fixtures",
        )
    case = write_case(
        source,
        _pick(obligations, arguments.obligation, task),
        obligations,
        fixtures,
        _see_style(task, arguments.suite),
        engine=arguments.engine,
    )
    if arguments.write is None:
        sys.stdout.write(case.text)
    else:
        arguments.write.parent.mkdir(parents=True, exist_ok=True)
        arguments.write.write_text(case.text, encoding="utf-8")
        print(f"wrote {arguments.write}")
    told = (
        f"passes on the reference, fails where {case.fails_where} (tried on {arguments.engine})",
        f"its rows ({case.rows}) tell {case.tells} of {case.breaking} programs that break it",
    )
    print("; ".join(told), file=sys.stderr)
    return 0


def _pick(obligations: tuple[Obligation, ...], name: str, task: Task) -> Obligation:
    found = next((each for each in obligations if each.id.lower() == name.lower()), None)
    if found is None:
        raise FixturesError(
            expected=f"the id of an obligation of {task.id}",
            found=f"`{name}`",
            hint="one of: "
            + (", ".join(each.id for each in obligations) or "none, it states no obligations"),
        )
    return found


def _see_style(task: Task, suite: Path | None) -> Style:
    """How the suite's program is called, and whether a fixture gives the session."""
    from pytest_lockin.fixtures.casetext import Style, read_style

    module, function = task.module or "solution", task.function
    if suite is None:
        return Style(module=module, function=function)
    program = suite.joinpath(*module.split(".")).with_suffix(".py")
    try:
        text = program.read_text(encoding="utf-8")
        conftest = suite / "conftest.py"
        has_spark = conftest.is_file() and "def spark(" in conftest.read_text(encoding="utf-8")
        names = [table.name for table in task.tables]
        return read_style(text, module, function, names, spark_fixture=has_spark)
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise SettingsError(
            expected=f"the program {module}.py in --suite {suite}",
            found=str(error),
            hint="give the folder that holds the program, or leave --suite out",
        ) from error
