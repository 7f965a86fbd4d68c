"""Stand-ins for plugins that are off in the worker: their fixtures, and a silent terminal reporter."""

from __future__ import annotations

import io
import os
from types import ModuleType
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter


class QuietReporter:
    """Answers whoever asks for the terminal reporter, without its hooks: it hears and prints nothing.

    Pytest 8 asks for its writer to explain a comparison, other plugins to print.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._reporter = TerminalReporter(config, io.StringIO())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("pytest_"):
            raise AttributeError(name)
        return getattr(self._reporter, name)


@pytest.fixture
def cov() -> None:
    """Nothing: pytest-cov gives its controller, and none runs here."""


@pytest.fixture
def no_cover() -> None:
    """Of pytest-cov; measures all the same."""


@pytest.fixture(scope="session")
def worker_id() -> str:
    """Name of the xdist worker that started this process, or `master`."""
    return os.environ.get("PYTEST_XDIST_WORKER", "master")


@pytest.fixture(scope="session")
def testrun_uid() -> str:
    """Name of the whole run."""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getppid():x}")


def _as_plugin(**fixtures: Any) -> ModuleType:
    """A module, the one kind of holder in which pytest takes fixtures that are plain functions."""
    module = ModuleType("lockin_fixtures")
    vars(module).update(fixtures)
    return module


# A marker that each plugin registers tells that the controller has it.
FIXTURES_BY_MARKER = {
    "no_cover": _as_plugin(cov=cov, no_cover=no_cover),
    "xdist_group": _as_plugin(worker_id=worker_id, testrun_uid=testrun_uid),
}

__all__ = ["FIXTURES_BY_MARKER", "QuietReporter"]
