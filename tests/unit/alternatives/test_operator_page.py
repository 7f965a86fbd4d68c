"""The page on operators of your own is true: its plugin works, and its test passes."""

import re
import sys
from pathlib import Path

import pytest

from pytest_lockin.alternatives import list_operators

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "operator-plugin.md"
PLUGIN, OWN_TEST = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
def our_operators(tmp_path, monkeypatch):
    (tmp_path / "our_operators.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "our_operators", raising=False)
    import our_operators

    yield our_operators
    del sys.modules["our_operators"]


def run_own_test():
    namespace = {}
    exec(OWN_TEST, namespace)
    namespace["test_examples"]()


def test_the_page_s_operator_does_what_its_examples_say(our_operators):
    run_own_test()
    assert "local-day" in [each.name for each in list_operators(our_operators.pytest_lockin_operators())]


def test_the_page_s_test_fails_for_an_operator_that_does_something_else(our_operators, monkeypatch):
    monkeypatch.setattr(our_operators.LocalDay, "python", lambda *_: ())
    with pytest.raises(AssertionError):
        run_own_test()
