"""Engines by name."""

import subprocess
import sys

import pytest

from pytest_lockin.engines import ENGINES, create_engine
from pytest_lockin.errors import EngineError


@pytest.mark.parametrize("name", ENGINES)
def test_each_name_makes_an_engine_of_that_name_without_starting_it(name):
    assert create_engine(name).name == name


def test_a_plugin_names_its_class_by_dotted_name():
    assert create_engine("pytest_lockin.engines.sail:SailEngine").name == "sail"


@pytest.mark.parametrize("name", ["duck", "no.such.module:Engine", "pytest_lockin.engines.sail:Nothing"])
def test_an_unknown_engine_is_an_error_that_names_it(name):
    with pytest.raises(EngineError) as caught:
        create_engine(name)
    assert name in str(caught.value)


def test_naming_engines_imports_no_spark():
    script = (
        "import sys; from pytest_lockin.engines import create_engine;"
        "[create_engine(name) for name in ('sail', 'spark', 'connect')];"
        "print([name for name in ('pyspark', 'pysail') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_method_before_start_is_an_error_that_says_so():
    with pytest.raises(EngineError, match="not running"):
        create_engine("sail").session()
