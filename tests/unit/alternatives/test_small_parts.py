"""The examples in the docstrings of small functions hold."""

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["siblings", "operators.literal", "operators.cast", "python.sqltext"])
def test_the_examples_in_docstrings_hold(name):
    tried = doctest.testmod(importlib.import_module(f"pytest_lockin.alternatives.{name}"))

    assert tried.attempted > 0
    assert tried.failed == 0
