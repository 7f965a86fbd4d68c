"""A pytest plugin for the naive check: Sail in place of a JVM, and nothing else of lockin."""

import pytest

from pytest_lockin.engines.base import EngineOptions
from pytest_lockin.engines.sail import SailEngine


def pytest_configure(config):
    config._naive_engine = SailEngine()
    config._naive_engine.start(EngineOptions(partitions=1))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    config._naive_engine.stop()
