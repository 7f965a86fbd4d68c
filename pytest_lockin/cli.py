"""The `lockin` command: each subcommand parses, calls one function, prints."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import LockinError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.model.task import Task

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_ERROR = 2

Commands = Any  # argparse's own type for this is private


def main(argv: Sequence[str] | None = None) -> int:
    """Run `lockin`; give its exit status.

    0: done; 1: done, and what was checked is not in order; 2: could not be done (a wrong argument, a file
    that cannot be used), with the reason on stderr.
    """
    arguments = _parser().parse_args(argv)
    arguments.argv = list(sys.argv[1:] if argv is None else argv)
    try:
        return int(arguments.run(arguments))
    except LockinError as error:
        print(f"lockin: {error}", file=sys.stderr)
        return EXIT_ERROR
    except KeyboardInterrupt:
        print("lockin: interrupted; nothing half-made is left behind", file=sys.stderr)
        return EXIT_ERROR
    except BrokenPipeError:
        # `lockin ... | head`: the reader has had enough. Nothing may be written to stdout any more.
        sys.stderr.close()
        return EXIT_OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lockin",
        description="Tasks, references and checks around `pytest --lockin`.",
        epilog="exit status: 0 done, 1 findings, 2 could not be done",
    )
    parser.add_argument("--version", action="version", version=f"pytest-lockin {version('pytest-lockin')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_adopting(commands)
    _add(commands, "doctor", _doctor, "check this machine: Java, engines, versions")
    _add_sealing(commands)
    _add_reports(commands)
    study = commands.add_parser("study", help="scores and tables from a folder of runs")
    _add_study(study.add_subparsers(required=True, metavar="ACTION"))
    fixtures = commands.add_parser("fixtures", help="the few rows on which wrong programs show it")
    _add_fixtures(fixtures.add_subparsers(required=True, metavar="ACTION"))
    tasks = commands.add_parser("tasks", help="the thirty TPC-DS tasks and their references")
    _add_tasks(tasks.add_subparsers(required=True, metavar="ACTION"))
    return parser


def _add(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], int], text: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run)
    return parser


def _add_adopting(commands: Commands) -> None:
    from pytest_lockin.commands import init, new_task

    text = "look at a repository and add what lockin needs: settings, conftest, refs/, workflow"
    init.add_options(_add(commands, "init", init.run, text))
    text = "make a task of a function and a folder of sample tables"
    new_task.add_options(_add(commands, "new-task", new_task.run, text))


def _add_sealing(commands: Commands) -> None:
    run = _add(commands, "run", _run, "start a sealed pytest: nothing is taken from where it is started")
    run.add_argument("--root", type=Path, default=Path(), help="pytest's root folder (default: this one)")
    run.add_argument("--settings", type=Path, help="settings file (default: the root folder's own)")
    run.add_argument("arguments", nargs=argparse.REMAINDER, help="after `--`: arguments for pytest")
    verify = _add(commands, "verify-lock", _verify_lock, "check that everything is as a run's lock says")
    verify.add_argument("lock", type=Path, nargs="?", default=Path("lockin.lock"))
    verify.add_argument("--root", type=Path, default=Path(), help="pytest's root folder (default: this one)")
    verify.add_argument("--reference", type=Path, help="the folder of references, to check those too")


def _add_reports(commands: Commands) -> None:
    from pytest_lockin.commands import alternatives, baseline, explain, report, witness

    text = "write a JSON report in other formats, without running anything"
    report.add_options(_add(commands, "report", report.run, text))
    text = "say what a word of a report means: an operator, a mechanism, an outcome, a verdict, a message"
    explain.add_options(_add(commands, "explain", explain.run, text))
    text = "print one alternative of a report: its diff, how it fared, and what that means"
    alternatives.add_options(_add(commands, "show", alternatives.show, text))
    text = "run a suite with one alternative in the program's place, with pytest's own output"
    alternatives.add_replay_options(_add(commands, "replay", alternatives.replay, text))
    text = "write a pytest case that checks one obligation, on few rows"
    witness.add_options(_add(commands, "witness", _witness, text))
    text = "accept what a JSON report found as known: the gate fails on what is new"
    baseline.add_options(_add(commands, "baseline", baseline.run, text))


def _witness(arguments: argparse.Namespace) -> int:
    from pytest_lockin.commands.witness import write_witness

    return write_witness(arguments, _find_task(arguments.task))


def _run(arguments: argparse.Namespace) -> int:
    from pytest_lockin.sealing.start import sealed_command, sealed_variables

    given = arguments.arguments[1:] if arguments.arguments[:1] == ["--"] else arguments.arguments
    settings = arguments.settings.resolve() if arguments.settings else None
    command = sealed_command(given, arguments.root.resolve(), settings)
    return subprocess.run(command, env=sealed_variables(os.environ), check=False).returncode


def _verify_lock(arguments: argparse.Namespace) -> int:
    from pytest_lockin.sealing.lock import read_lock, verify_lock

    lock = read_lock(arguments.lock)
    found = verify_lock(lock, arguments.root.resolve(), arguments.reference)
    number = len(lock["tree"]) + (len(lock["references"]) if arguments.reference else 0)
    return _print_problems(found, f"{_count(number, 'file')} as locked")


def _add_study(actions: Commands) -> None:
    from pytest_lockin.studies.command import add_evaluate_options

    add_evaluate_options(_add(actions, "evaluate", _evaluate, "evaluate runs and print every table"))
    controls = _add(actions, "controls", _controls, "put the comparator to the test: 600 controls and more")
    _add_engine(controls)
    controls.set_defaults(refs=None)
    controls.add_argument("--json", type=Path, help="write every control and its outcome here")
    text = "how well violated obligations and mechanisms are found, on suites made wrong on purpose"
    mechanisms = _add(actions, "mechanisms", _mechanisms, text)
    mechanisms.add_argument("task", nargs="*", help="default: every task misreadings are written down for")


def _add_tasks(actions: Commands) -> None:
    build = _add(actions, "build", _build, "make data and references from installed packages")
    build.add_argument("task", nargs="*", help="statement ids (q03, q14a); default: the thirty tasks")
    build.add_argument("--scale", type=float, default=0.01, help="TPC-DS scale factor (default: 0.01)")
    build.add_argument("--out", type=Path, default=Path("refs"), help="folder to fill (default: refs)")
    build.add_argument("--force", action="store_true", help="overwrite built references edited by hand")
    build.add_argument("--unlocked", action="store_true", help="build even if something is not as locked")
    listing = _add(actions, "list", _list, "list the tasks")
    listing.add_argument("--all", action="store_true", help="all 103 statements, and why each is kept or not")
    show = _add(actions, "show", _show, "show one task: its ticket, tables and obligations")
    show.add_argument("task", help="a task's id, or the path of a task.yaml or its folder")
    show.add_argument("--hidden", action="store_true", help="also the obligations only the reference shows")
    check = _add(actions, "check", _check, "check tasks, and that they are as locked")
    check.add_argument("path", nargs="*", type=Path, help="task.yaml files or folders; default: the thirty")
    lock = _add(actions, "lock", _lock, "accept tasks and references as they are: write tasks/lock.json")
    lock.add_argument("--data", type=Path, nargs="*", default=[], help="built folders whose data to lock too")
    panel = _add(actions, "panel", _panel, "compare each task's three references, pair by pair")
    panel.add_argument("task", nargs="*", help="default: the tasks built into the folder")
    _add_engine(panel)
    panel.add_argument("--json", type=Path, help="write the report here")
    freeze = _add(actions, "freeze", _freeze, "store each statement's output, with its hash")
    freeze.add_argument("task", nargs="*", help="default: the tasks built into the folder")
    _add_engine(freeze)
    again = _add(actions, "reexecute", _reexecute, "rebuild frozen outputs in a fresh session and compare")
    again.add_argument("task", nargs="*", help="default: the tasks built into the folder")
    _add_engine(again)
    derive = _add(actions, "derive", _derive, "read a statement's obligations off it, as YAML")
    derive.add_argument("task", help="a task's id, or the path of a task.yaml: its tables are the schemas")
    derive.add_argument("--sql", type=Path, help="a file with the statement (default: the task's TPC-DS one)")
    schema = _add(actions, "schema", _schema, "print a JSON Schema, for an editor that checks YAML")
    schema.add_argument("name", nargs="?", default="task", choices=["task", "obligations"])


def _add_fixtures(actions: Commands) -> None:
    from pytest_lockin.fixtures.command import add_options

    texts = {
        "build": "make fixtures from references, before any candidate is read",
        "show": "print a task's fixtures",
        "check": "check that fixtures are as locked, and legal",
        "explain": "say what is known of each wrong program, and show the rows on which one matters",
    }
    for action, text in texts.items():
        parser = _add(actions, action, _fixtures, text)
        parser.set_defaults(action=action)
        add_options(action, parser)


def _fixtures(arguments: argparse.Namespace) -> int:
    from pytest_lockin.fixtures import command

    if isinstance(arguments.task, str):
        return command.ONE_TASK[arguments.action](arguments, _find_task(arguments.task))
    tasks = [_find_task(name) for name in arguments.task or _own_tasks()]
    return command.TASKS[arguments.action](arguments, tasks)


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--refs", type=Path, default=Path("refs"), help="a built folder (default: refs)")
    parser.add_argument("--engine", default="sail", choices=["sail", "spark"], help="default: sail")


def _doctor(_: argparse.Namespace) -> int:
    from pytest_lockin.engines.preflight import check_environment, check_sandbox
    from pytest_lockin.workers.sandbox.bwrap import look_for_bubblewrap

    findings = (*check_environment(), check_sandbox(*look_for_bubblewrap()))
    for finding in findings:
        print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.text}")
        if not finding.ok and finding.hint:
            print(f"      hint: {finding.hint}")
    return EXIT_OK if all(finding.ok for finding in findings) else EXIT_FINDINGS


def _evaluate(arguments: argparse.Namespace) -> int:
    from pytest_lockin.studies.command import run_evaluate

    return run_evaluate(arguments.argv[2:])


def _controls(arguments: argparse.Namespace) -> int:
    from pytest_lockin.outputs import compute_outputs
    from pytest_lockin.studies.command import run_controls_on
    from pytest_lockin.studies.controls.run import INVENTORY

    wanted = [*_own_tasks(), *INVENTORY]
    with contextlib.ExitStack() as stack:
        refs = arguments.refs
        if refs is None:
            refs = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "refs"
            _build_into(refs, wanted)
        frames = compute_outputs(refs, _built_tasks(refs, wanted), arguments.engine)
    extra = {task: frames.pop(task) for task in INVENTORY}
    return run_controls_on(frames, extra, arguments.json)


def _mechanisms(arguments: argparse.Namespace) -> int:
    from pytest_lockin.sealing_records import run_benchmark
    from pytest_lockin.studies.mechanisms.records import list_tasks
    from pytest_lockin.studies.mechanisms.scores import render_benchmark

    found = run_benchmark(list_tasks(arguments.task), lambda line: print(line, flush=True))
    print("\n".join(render_benchmark(found)))
    return EXIT_FINDINGS if found.missed else EXIT_OK


def _build_into(refs: Path, tasks: Sequence[str]) -> None:
    from pytest_lockin.taskbank.build import BuildOptions, build

    print(f"building {_count(len(tasks), 'reference')} at scale 0.01", flush=True)
    build(refs, tasks, BuildOptions(), lambda _: None)


def _panel(arguments: argparse.Namespace) -> int:
    from pytest_lockin.outputs import compare_panels
    from pytest_lockin.taskbank.panel_report import panel_line, render_panels, write_panels

    tasks = _built_tasks(arguments.refs, arguments.task)
    report = compare_panels(
        arguments.refs, tasks, arguments.engine, lambda panel: print(panel_line(panel), flush=True)
    )
    for line in render_panels(report)[len(tasks) :]:
        print(line)
    if arguments.json:
        write_panels(report, arguments.json)
    return EXIT_FINDINGS if report.unfit else EXIT_OK


def _freeze(arguments: argparse.Namespace) -> int:
    from pytest_lockin.outputs import freeze_outputs

    tasks = _built_tasks(arguments.refs, arguments.task)
    stored = freeze_outputs(arguments.refs, tasks, arguments.engine)
    print(f"{_count(len(stored), 'output')} stored under {arguments.refs}")
    return EXIT_OK


def _reexecute(arguments: argparse.Namespace) -> int:
    from pytest_lockin.outputs import reexecute
    from pytest_lockin.studies.reexecution import explain_drift, is_reproduced

    drifts = reexecute(arguments.refs, _built_tasks(arguments.refs, arguments.task), arguments.engine)
    for drift in drifts.values():
        print("\n".join(explain_drift(drift)))
    same = sum(1 for drift in drifts.values() if is_reproduced(drift))
    print(f"{same} of {len(drifts)} reproduced")
    return EXIT_OK if same == len(drifts) else EXIT_FINDINGS


def _own_tasks() -> tuple[str, ...]:
    from pytest_lockin.taskbank.bank import list_task_ids

    return list_task_ids()


def _built_tasks(refs: Path, named: Sequence[str]) -> list[str]:
    """The tasks asked for, else all that were built; each must have been built."""
    from pytest_lockin.taskbank.build import read_build

    built = read_build(refs)
    if built is None:
        raise SettingsError(
            expected="a folder made by `lockin tasks build`",
            found=f"{refs}, which has no build.json",
            hint=f"run `lockin tasks build --out {refs}` first, or give --refs",
        )
    wanted = list(named or built.tasks)
    missing = [task for task in wanted if task not in built.tasks]
    if missing:
        raise SettingsError(
            expected=f"tasks built into {refs}",
            found=f"no {', '.join(missing)}",
            hint=f"run `lockin tasks build --out {refs} {' '.join(wanted)}`",
        )
    return wanted


def _build(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.bank import list_task_ids
    from pytest_lockin.taskbank.build import BuildOptions, build

    options = BuildOptions(scale=arguments.scale, force=arguments.force, locked=not arguments.unlocked)
    built = build(
        arguments.out, arguments.task or list_task_ids(), options, lambda line: print(line, flush=True)
    )
    what = f"{_count(len(built.build.tasks), 'task')} at scale {built.build.scale:g}"
    done = f"{_count(len(built.changed), 'file')} written" if built.changed else "already up to date"
    print(f"{arguments.out}: {what}, {done}")
    return EXIT_OK


def _list(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.bank import load_bank, load_hidden
    from pytest_lockin.taskbank.eligibility import load_eligibility

    if arguments.all:
        for entry in load_eligibility():
            print(f"{entry.id:5} {entry.choice.value:20} {entry.reason}")
        return EXIT_OK
    for task in load_bank():
        hidden = len(load_hidden(task.id))
        print(f"{task.id:5} {len(task.obligations):2} + {hidden} hidden  {task.title}")
    return EXIT_OK


def _show(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.bank import load_hidden

    task = _find_task(arguments.task)
    print(f"{task.id}: {task.title}\n\n{task.prompt}")
    print(f"entry point: {task.entry_point}")
    for table in task.tables:
        print(f"table {table.name}: {len(table.columns) or 'unknown'} columns")
    for obligation in (*task.obligations, *(load_hidden(task.id) if arguments.hidden else ())):
        print(f"{obligation.id:4} {obligation.kind.value:8} {obligation.source.value:7} {obligation.text}")
    return EXIT_OK


def _find_task(name: str) -> Task:
    """Load a task by its id among the project's own, else by its path."""
    from pytest_lockin.taskbank.bank import find_task, list_task_ids
    from pytest_lockin.taskbank.loader import load_task
    from pytest_lockin.taskbank.statements import suggest_id

    own = find_task(name)
    if own is not None:
        return own
    if Path(name).exists():
        return load_task(Path(name))
    meant = suggest_id(name)
    raise SettingsError(
        expected="the id of a task, or the path of a task.yaml",
        found=f"`{name}`",
        hint=f"did you mean {meant}?" if meant in list_task_ids() else "`lockin tasks list` prints the ids",
    )


def _check(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.check import check_task

    if not arguments.path:
        return _check_own()
    tasks = [task for path in arguments.path for task in _load(path)]
    problems = [problem for task in tasks for problem in check_task(task)]
    return _print_problems(problems, f"{_count(len(tasks), 'task')} in order")


def _check_own() -> int:
    from pytest_lockin.taskbank.bank import load_bank, load_hidden
    from pytest_lockin.taskbank.check import check_bank
    from pytest_lockin.taskbank.lock import check_lock

    tasks = load_bank()
    hidden = sum(len(load_hidden(task.id)) for task in tasks)
    count = hidden + sum(len(task.obligations) for task in tasks)
    done = f"{len(tasks)} tasks in order and as locked: {count} obligations, {hidden} of them hidden"
    return _print_problems([*check_bank(tasks), *check_lock()], done)


def _load(path: Path) -> tuple[Task, ...]:
    """Load one task, or all tasks of a folder of tasks."""
    from pytest_lockin.taskbank.bank import load_bank
    from pytest_lockin.taskbank.loader import TASK_FILE, load_task

    if path.is_dir() and not (path / TASK_FILE).is_file():
        return load_bank(path)
    return (load_task(path),)


def _print_problems(problems: Sequence[object], done: str) -> int:
    for problem in problems:
        print(problem)
    print(_count(len(problems), "problem") if problems else done)
    return EXIT_FINDINGS if problems else EXIT_OK


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _lock(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.build import read_build
    from pytest_lockin.taskbank.lock import write_lock

    data = {}
    for folder in arguments.data:
        built = read_build(folder)
        if built is None:
            raise SettingsError(
                expected=f"a folder built by `lockin tasks build` at {folder}",
                found="no build.json there",
                hint="build it first, or correct --data",
            )
        data[f"{built.scale:g}"] = dict(built.fingerprints)
    print(f"wrote {write_lock(fingerprints=data)}")
    return EXIT_OK


def _derive(arguments: argparse.Namespace) -> int:
    from pytest_lockin.obligations import derive_obligations, write_obligations
    from pytest_lockin.taskbank.statements import read_statement

    task = _find_task(arguments.task)
    sql = _read_sql(arguments.sql) if arguments.sql else read_statement(task.id).text
    schemas = task.schemas
    print(write_obligations(derive_obligations(sql, schemas)), end="")
    return EXIT_OK


def _read_sql(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise SettingsError(
            expected="a file with one statement of Spark SQL",
            found=f"--sql {path}: {getattr(error, 'strerror', None) or error}",
            hint="give the path of a UTF-8 text file",
        ) from None


def _schema(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.loader import json_schemas

    print(json.dumps(json_schemas()[f"{arguments.name}.schema.json"], indent=2))
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
