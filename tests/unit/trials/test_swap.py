"""Swapping code into live modules: every shape that DESIGN's traps name, and exact restoring."""

from __future__ import annotations

import importlib
import sys
import textwrap
from pathlib import Path

import pytest

from pytest_lockin.suite.swap import ImportRaised, Misfit, Swapper, same_shape


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Write modules and import them: `load(program=..., reader=...)`."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def write(**texts):
        modules = []
        for name, text in texts.items():
            path = tmp_path / f"{name}.py"
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        importlib.invalidate_caches()
        for name in texts:
            made.append(name)
            modules.append(importlib.import_module(name))
        return modules if len(modules) > 1 else modules[0]

    yield write
    for name in made:
        sys.modules.pop(name, None)


def edit(module, before, after, *readers):
    """Swap one piece of text for another; give the swapper."""
    with Path(module.__file__).open(encoding="utf-8") as file:
        text = file.read()
    assert text.count(before) == 1, before
    made = Swapper([module], text, readers)
    made.swap(text.replace(before, after))
    return made


def test_a_function_held_by_name_elsewhere_runs_the_new_code(load):
    module = load(program="def solve(x):\n    return x + 1\n")
    held = module.solve
    made = edit(module, "x + 1", "x - 1")
    assert held(10) == 9
    made.restore()
    assert held(10) == 11
    assert module.solve is held


def test_a_constant_changes_in_the_module_and_where_it_was_imported_by_name(load):
    program, reader = load(
        program="LIMIT = 10\ndef solve():\n    return LIMIT\n",
        reader="from program import LIMIT as TOP, solve\nOWN = 10\ndef look():\n    return TOP, OWN\n",
    )
    made = edit(program, "LIMIT = 10", "LIMIT = 11", reader)
    assert program.solve() == 11
    # The reader's own 10 is the same object to Python, and none of the program's.
    assert reader.look() == (11, 10)
    made.restore()
    assert (program.solve(), reader.look()) == (10, (10, 10))


def test_a_constant_that_a_reader_used_at_import_does_not_fit(load):
    program, reader = load(program="LIMIT = 10\n", reader="from program import LIMIT\nDOUBLE = 2 * LIMIT\n")
    with pytest.raises(Misfit, match="reader used LIMIT when it was imported"):
        edit(program, "LIMIT = 10", "LIMIT = 11", reader)
    assert (program.LIMIT, reader.LIMIT) == (10, 10)


def test_a_module_attribute_that_a_reader_used_at_import_does_not_fit(load):
    program, reader = load(
        program="LIMIT = 10\n", reader="import program as p\ndef f(n=p.LIMIT):\n    return n\n"
    )
    with pytest.raises(Misfit, match=r"reader used program\.LIMIT"):
        edit(program, "LIMIT = 10", "LIMIT = 11", reader)


def test_a_star_import_counts_as_an_import_by_name(load):
    program, reader = load(
        program="LIMIT = 1\n", reader="from program import *\ndef f():\n    return LIMIT\n"
    )
    made = edit(program, "LIMIT = 1", "LIMIT = 2", reader)
    assert reader.f() == 2
    made.restore()
    assert reader.f() == 1


def test_defaults_bound_at_definition_change_with_the_constant(load):
    module = load(program="TOP = 2\ndef solve(n=TOP, *, m=TOP):\n    return n, m\n")
    held = module.solve
    made = edit(module, "TOP = 2", "TOP = 3")
    assert held() == (3, 3)
    made.restore()
    assert held() == (2, 2)


def test_a_decorated_function_changes_inside_its_wrapper(load):
    module = load(
        program="""
        import functools
        def twice(function):
            @functools.wraps(function)
            def wrapper(*args):
                return 2 * function(*args)
            return wrapper
        @twice
        def solve(x):
            return x + 1
        """
    )
    held = module.solve
    made = edit(module, "x + 1", "x + 5")
    assert held(1) == 12
    made.restore()
    assert held(1) == 4


def test_a_decorator_that_does_not_tell_what_it_wraps_is_reached_through_its_closure(load):
    module = load(
        program="""
        def twice(function):
            def wrapper(*args):
                return 2 * function(*args)
            return wrapper
        @twice
        def solve(x):
            return x + 1
        """
    )
    made = edit(module, "x + 1", "x + 5")
    assert module.solve(1) == 12
    made.restore()
    assert module.solve(1) == 4


def test_a_decorators_own_argument_changes(load):
    module = load(
        program="""
        def times(n):
            def decorate(function):
                def wrapper(*args):
                    return n * function(*args)
                return wrapper
            return decorate
        @times(2)
        def solve(x):
            return x
        """
    )
    held = module.solve
    made = edit(module, "@times(2)", "@times(3)")
    assert held(5) == 15
    made.restore()
    assert held(5) == 10


def test_a_dropped_decorator_does_not_fit_and_changes_nothing(load):
    module = load(
        program="""
        def twice(function):
            def wrapper(*args):
                return 2 * function(*args)
            return wrapper
        FIRST = 1
        @twice
        def solve(x):
            return x + FIRST
        """
    )
    with Path(module.__file__).open(encoding="utf-8") as file:
        text = file.read()
    made = Swapper([module], text, ())
    with pytest.raises(Misfit, match="solve closes over function before and nothing after"):
        made.swap(text.replace("@twice\n", "").replace("FIRST = 1", "FIRST = 7"))
    assert module.solve(1) == 4
    assert module.FIRST == 1


def test_a_cache_is_emptied_on_the_way_in_and_out(load):
    module = load(
        program="""
        from functools import lru_cache
        @lru_cache(maxsize=None)
        def rate(x):
            return x + 1
        def solve(x):
            return rate(x)
        """
    )
    held = module.rate
    assert module.solve(1) == 2
    made = edit(module, "x + 1", "x + 3")
    assert module.solve(1) == 4
    made.restore()
    assert module.solve(1) == 2
    assert module.rate is held


def test_a_cache_of_an_untouched_function_is_emptied_too(load):
    module = load(
        program="""
        from functools import cache
        def rate(x):
            return x + 1
        @cache
        def solve(x):
            return rate(x)
        """
    )
    assert module.solve(1) == 2
    made = edit(module, "x + 1", "x + 3")
    assert module.solve(1) == 4
    made.restore()
    assert module.solve(1) == 2


def test_lambdas_in_a_dict_change_where_the_dict_is_held(load):
    program, reader = load(
        program="RULES = {'a': lambda x: x + 1, 'b': lambda x: x * 2}\n",
        reader="from program import RULES\nHELD = RULES['a']\n",
    )
    made = edit(program, "x + 1", "x + 9")
    assert reader.RULES["a"](1) == reader.HELD(1) == 10
    assert reader.RULES["b"](2) == 4
    made.restore()
    assert reader.HELD(1) == 2
    assert list(reader.RULES) == ["a", "b"]


def test_lists_sets_and_partials_change_in_place(load):
    module = load(
        program="""
        import functools
        KEEP = ["a", "b"]
        SEEN = {1, 2}
        def scale(x, by):
            return x * by
        double = functools.partial(scale, by=2)
        PAIR = (1, lambda: 5)
        """
    )
    keep, seen, double = module.KEEP, module.SEEN, module.double
    for before, after, now in (
        ('"b"]', '"c"]', lambda: keep == ["a", "c"]),
        ("{1, 2}", "{1, 3}", lambda: seen == {1, 3}),
        ("by=2", "by=3", lambda: double(2) == 6),
        ("x * by", "x + by", lambda: double(5) == 7),
        ("lambda: 5", "lambda: 6", lambda: module.PAIR[1]() == 6),
    ):
        made = edit(module, before, after)
        assert now(), after
        made.restore()
        assert (keep, seen, double(2), module.PAIR[1]()) == (["a", "b"], {1, 2}, 4, 5)
        assert module.KEEP is keep
        assert module.double is double


def test_methods_attributes_and_properties_of_a_class_change(load):
    module = load(
        program="""
        class Config:
            limit = 10
            @property
            def top(self):
                return self.limit + 1
            @staticmethod
            def step():
                return 1
            @classmethod
            def name(cls):
                return "a"
            def run(self):
                return 5
        CONFIG = Config()
        """
    )
    held, cls = module.CONFIG, module.Config
    for before, after, now in (
        ("limit = 10", "limit = 20", lambda: held.limit == 20),
        ("self.limit + 1", "self.limit + 2", lambda: held.top == 12),
        ("return 1\n", "return 7\n", lambda: cls.step() == 7),
        ('"a"', '"b"', lambda: cls.name() == "b"),
        ("return 5", "return 6", lambda: held.run() == 6),
    ):
        made = edit(module, before, after)
        assert now(), after
        made.restore()
        assert (held.limit, held.top, cls.step(), cls.name(), held.run()) == (10, 11, 1, "a", 5)
        assert module.Config is cls
        assert isinstance(held, cls)


def test_a_dataclass_config_changes_its_defaults_and_its_instances(load):
    module = load(
        program="""
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class Config:
            limit: int = 10
            share: float = 0.5
        CONFIG = Config(share=0.25)
        def solve():
            return CONFIG.limit, CONFIG.share, Config().limit
        """
    )
    made = edit(module, "limit: int = 10", "limit: int = 11")
    assert module.solve() == (11, 0.25, 11)
    made.restore()
    assert module.solve() == (10, 0.25, 10)
    made = edit(module, "share=0.25", "share=0.75")
    assert module.solve() == (10, 0.75, 10)
    assert isinstance(module.CONFIG, module.Config)
    made.restore()
    assert module.solve() == (10, 0.25, 10)


def test_another_base_class_does_not_fit(load):
    module = load(program="class A:\n    pass\nclass B(A):\n    pass\n")
    with pytest.raises(Misfit, match="other bases"):
        edit(module, "class B(A)", "class B(dict)")


def test_nested_functions_and_comprehensions_change_with_their_function(load):
    module = load(
        program="""
        def solve(n):
            def step(i):
                return i * 2
            return [step(i) for i in range(n)]
        """
    )
    made = edit(module, "i * 2", "i * 3")
    assert module.solve(3) == [0, 3, 6]
    made.restore()
    assert module.solve(3) == [0, 2, 4]


def test_a_name_that_is_added_lives_in_the_live_module(load):
    module = load(program="RATE = 2\ndef solve(x):\n    return x * RATE\n")
    with Path(module.__file__).open(encoding="utf-8") as file:
        text = file.read()
    made = Swapper([module], text, ())
    made.swap(text.replace("return x * RATE", "return helper(x)") + "\ndef helper(x):\n    return x + RATE\n")
    module.RATE = 5
    assert module.solve(1) == 6
    module.RATE = 2
    made.restore()
    assert module.solve(1) == 2
    assert not hasattr(module, "helper")


def test_code_that_runs_at_import_runs_for_the_alternative(load):
    module = load(
        program="TABLE = {}\nfor n in range(3):\n    TABLE[n] = n * n\ndef solve(n):\n    return TABLE.get(n)\n"
    )
    made = edit(module, "range(3)", "range(2)")
    assert module.solve(2) is None
    made.restore()
    assert module.solve(2) == 4


def test_an_alternative_that_raises_at_import_changes_nothing(load):
    module = load(program="LIMIT = 10\nHALF = LIMIT / 2\n")
    with pytest.raises(ImportRaised, match="TypeError"):
        edit(module, "LIMIT = 10", "LIMIT = None")
    assert (module.LIMIT, module.HALF) == (10, 5)
    assert sys.modules["program"] is module


def test_text_that_does_not_compile_is_an_import_that_raises(load):
    module = load(program="LIMIT = 10\n")
    with pytest.raises(ImportRaised, match="SyntaxError"):
        edit(module, "= 10", "= = 10")


def test_the_recorder_around_the_entry_point_stays_in_place(load):
    module = load(program="def solve(x):\n    return x + 1\n")
    inner = module.solve
    seen = []

    def recorded(x):
        seen.append(x)
        return inner(x)

    recorded.__wrapped__ = inner
    recorded.__lockin_recorder__ = object()
    module.solve = recorded
    made = edit(module, "x + 1", "x + 2")
    assert module.solve is recorded
    assert (module.solve(1), seen) == (3, [1])
    made.restore()
    assert module.solve(1) == 2


def test_a_file_imported_under_two_names_is_swapped_in_both(load, tmp_path):
    first = load(program="LIMIT = 1\ndef solve():\n    return LIMIT\n")
    spec = importlib.util.spec_from_file_location("program_twin", first.__file__)
    twin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(twin)
    text = "LIMIT = 1\ndef solve():\n    return LIMIT\n"
    made = Swapper([first, twin], text, ())
    made.swap(text.replace("LIMIT = 1", "LIMIT = 2"))
    assert (first.solve(), twin.solve()) == (2, 2)
    made.restore()
    assert (first.solve(), twin.solve()) == (1, 1)


def test_swapping_again_takes_the_first_alternative_out(load):
    module = load(program="A = 1\nB = 1\n")
    made = edit(module, "A = 1", "A = 2")
    made.swap("A = 1\nB = 2\n")
    assert (module.A, module.B) == (1, 2)
    made.restore()
    assert (module.A, module.B) == (1, 1)


def test_same_shape_says_no_where_it_cannot_tell():
    assert same_shape((1, "a", None), (1, "a", None))
    assert not same_shape(1, 1.0)
    assert not same_shape(True, 1)
    assert not same_shape(object(), object())
    assert same_shape(float("nan"), float("nan"))
    assert not same_shape(0.0, -0.0)
    assert same_shape([lambda x: x], [lambda x: x]) is False  # other lines: cannot tell
