"""`lockin init`: what a repository needs to begin, shown as a diff and written when it was agreed to."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.adopt.look import look_at
from pytest_lockin.adopt.plan import plan_adoption
from pytest_lockin.adopt.shipped import TEMPLATES, read_template
from pytest_lockin.adopt.writing import show_changes, write_changes

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from pytest_lockin.adopt.base import Plan


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add where to look, and how much to ask."""
    add = parser.add_argument
    add("path", type=Path, nargs="?", default=Path(), help="the repository's root (default: this folder)")
    add("--yes", action="store_true", help="write without asking")
    add("--dry-run", action="store_true", help="only show what would be written")
    add("--template", choices=sorted(TEMPLATES), help="print this conftest template and do nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Show what would be written, ask, write; 1 where it was not written though it was not a dry run.

    Raises:
        AdoptError: there is nothing to adopt, or a file cannot be added to or written.
    """
    if arguments.template:
        sys.stdout.write(read_template(arguments.template))
        return 0
    found = look_at(arguments.path)
    plan = plan_adoption(found)
    _print(plan.notes)
    if not plan.changes:
        print("nothing to do: everything is there")
        return 0
    print()
    _print(show_changes(plan.changes))
    print()
    if arguments.dry_run:
        print("nothing written: --dry-run")
        return 0
    if not (arguments.yes or _agrees(plan)):
        print("nothing written")
        return 1
    write_changes(found.root, plan.changes)
    _print(f"wrote {change.path}" for change in plan.changes)
    print("next:")
    _print(f"  {command}" for command in plan.commands)
    return 0


def _agrees(plan: Plan) -> bool:
    """Ask; where nobody can answer, that is a no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("not a terminal, so nobody to ask: give --yes to write this")
        return False
    number = len(plan.changes)
    try:
        return input(f"Write {'this file' if number == 1 else f'these {number} files'}? [y/N] ").lower() in (
            "y",
            "yes",
        )
    except EOFError:
        return False


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)
