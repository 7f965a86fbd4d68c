"""Stand-ins for plugins that are off in the worker: their fixtures, and a silent terminal reporter."""

from __future__ import annotations

import io
import os
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


class CovFixtures:
    """Fixtures of pytest-cov: the measurement is made elsewhere."""

    @pytest.fixture
    def cov(self) -> None:
        """Nothing: pytest-cov gives its controller, and none runs here."""

    @pytest.fixture
    def no_cover(self) -> None:
        """Of pytest-cov; measures all the same."""


class XdistFixtures:
    """Fixtures of xdist, with the values they have in the process that started this worker."""

    @pytest.fixture(scope="session")
    def worker_id(self) -> str:
        """Name of the xdist worker, or `master`."""
        return os.environ.get("PYTEST_XDIST_WORKER", "master")

    @pytest.fixture(scope="session")
    def testrun_uid(self) -> str:
        """Name of the whole run."""
        return os.environ.get("PYTEST_XDIST_TESTRUNUID", f"{os.getppid():x}")


# A marker that each plugin registers tells that the controller has it.
FIXTURES_BY_MARKER = {"no_cover": CovFixtures, "xdist_group": XdistFixtures}

__all__ = ["FIXTURES_BY_MARKER", "QuietReporter"]
