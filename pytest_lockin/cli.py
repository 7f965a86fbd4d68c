"""The `lockin` command: each subcommand parses, calls one function, prints."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.errors import LockinError

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_OK = 0
EXIT_FINDINGS = 1
EXIT_ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run `lockin`; give its exit status.

    0: done; 1: done, and what was checked is not in order; 2: could not be done (a wrong argument, a file
    that cannot be used), with the reason on stderr.
    """
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except LockinError as error:
        print(f"lockin: {error}", file=sys.stderr)
        return EXIT_ERROR
    except KeyboardInterrupt:
        print("lockin: interrupted", file=sys.stderr)
        return EXIT_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lockin", description=sys.modules["pytest_lockin"].__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_tasks(commands)
    return parser


def _add_tasks(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tasks = commands.add_parser("tasks", help="the thirty TPC-DS tasks and their references")
    actions = tasks.add_subparsers(required=True, metavar="ACTION")
    build = actions.add_parser("build", help="make data and references from installed packages")
    build.add_argument("task", nargs="*", help="statement ids (q03, q14a); default: the thirty tasks")
    build.add_argument("--scale", type=float, default=0.01, help="TPC-DS scale factor (default: 0.01)")
    build.add_argument("--out", type=Path, default=Path("refs"), help="folder to fill (default: refs)")
    build.add_argument("--force", action="store_true", help="overwrite references edited by hand")
    build.set_defaults(run=_build)


def _build(arguments: argparse.Namespace) -> int:
    from pytest_lockin.taskbank.build import build

    built = build(
        arguments.out,
        arguments.task,
        scale=arguments.scale,
        force=arguments.force,
        say=lambda line: print(line, flush=True),
    )
    what = f"{len(built.build.tasks)} tasks at scale {built.build.scale:g}"
    done = f"{len(built.changed)} files written" if built.changed else "already up to date"
    print(f"{arguments.out}: {what}, {done}")
    return EXIT_OK


if __name__ == "__main__":
    sys.exit(main())
