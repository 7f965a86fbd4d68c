"""Hooks for other plugins: engines, operators, reporters. Registered on pytest's own plugin manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pluggy import HookspecMarker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.model.report import Report

hookspec = HookspecMarker("pytest")


@hookspec
def pytest_lockin_engines() -> dict[str, str]:
    """Return engines this plugin adds: name -> dotted name of a class (`module:Class`) made like `Engine`.

    The class is imported inside workers only, never in pytest's own process.
    """
    raise NotImplementedError


@hookspec
def pytest_lockin_operators() -> Sequence[Any]:
    """Return operators this plugin adds, made like `pytest_lockin.alternatives.base.Operator`.

    Each has a name of its own and `examples()`; what it makes is tried beside ours.
    """
    raise NotImplementedError


@hookspec
def pytest_lockin_report(report: Report) -> None:
    """Take the finished, frozen report: write it anywhere. Runs once, in the controlling process."""
    raise NotImplementedError


@hookspec
def pytest_lockin_terminal_lines(report: Report) -> Sequence[str]:
    """Return lines to add at the end of the terminal's `lockin` section, before the gate line."""
    raise NotImplementedError


__all__ = [
    "pytest_lockin_engines",
    "pytest_lockin_operators",
    "pytest_lockin_report",
    "pytest_lockin_terminal_lines",
]
