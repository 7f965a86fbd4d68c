"""The control of trials: every function is other code than before and does the same."""

import ast
import types

import pytest

from pytest_lockin.alternatives.neutral import make_control

SHAPES = {
    "plain": "def f(x):\n    return x + 1\n",
    "one line": "def f(x): return x + 1\n",
    "text": 'def f(x):\n    """Says it."""\n    return x + 1\n',
    "text in lines": 'def f(x):\n    """Says\n    it."""\n    return x + 1\n',
    "compound": "def f(x):\n    if x:\n        return x + 1\n    return 1\n",
    "nested": "def f(x):\n    def g(y):\n        return y + 1\n    return g(x)\n",
    "decorated inside": (
        "import functools\ndef f(x):\n    @functools.cache\n    def g(y):\n        return y + 1\n    return g(x)\n"
    ),
    "wide text before": "def f(x): 'ä'; return x + 1\n",
    "method": "class C:\n    def m(self, x):\n        return x + 1\ndef f(x):\n    return C().m(x)\n",
    "tabs": "def f(x):\n\twith open('/dev/null'):\n\t\treturn x + 1\n",
}


def codes(source):
    found, waiting = [], [compile(source, "x", "exec")]
    while waiting:
        code = waiting.pop()
        found.append(code)
        waiting += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    # A class's body and the module's are no functions.
    return {code.co_qualname: code for code in found if code.co_flags & 0x1}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_function_is_other_code_and_answers_the_same(shape):
    source = SHAPES[shape]
    control = make_control(source, "solution")
    before, after = {}, {}
    exec(source, before)
    exec(control.source, after)
    assert after["f"](3) == before["f"](3) == 4
    assert after["f"].__doc__ == before["f"].__doc__
    old, new = codes(source), codes(control.source)
    assert old.keys() == new.keys()
    for name, code in old.items():
        assert code.co_code != new[name].co_code
        assert code.co_names != new[name].co_names
        assert set(map(str, code.co_consts)) != set(map(str, new[name].co_consts))


def test_lines_stay_where_they_are_but_for_compound_statements():
    source = "import os\n\ndef f(x):\n    return x\n\ndef g(x):\n    return x\n"
    edited = make_control(source, "solution").source
    assert [node.lineno for node in ast.parse(edited).body] == [
        node.lineno for node in ast.parse(source).body
    ]


def test_there_is_none_without_functions_or_of_what_cannot_be_read():
    assert make_control("x = 1\n", "solution") is None
    assert make_control("def f(:\n", "solution") is None
