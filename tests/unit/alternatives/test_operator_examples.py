"""Every operator does what its examples say, all of it, and leaves the rest alone."""

import ast

import pytest

from pytest_lockin.alternatives import list_operators, make_mutants, make_variants

HEAD = """from pyspark.sql import Window
from pyspark.sql import functions as F


def solve(spark, tables):
"""
EXAMPLES = [
    pytest.param(operator, example, id=f"{operator.name}-{number}")
    for operator in list_operators()
    for number, example in enumerate(operator.examples(), start=1)
]


def write_program(example):
    tables = "".join(f'    {name} = tables["{name}"]\n' for name in example.schemas)
    return f"{HEAD}{tables}    return {example.before}\n"


def result_of(source):
    return ast.unparse(ast.parse(source.rpartition("    return ")[2]))


@pytest.mark.parametrize(("operator", "example"), EXAMPLES)
def test_an_operator_makes_exactly_what_its_example_shows(operator, example):
    if example.language == "sql":
        made = {
            " ".join(v.sql.split())
            for v in make_variants(example.before, example.schemas, operators=[operator])
        }
        assert sorted(made) == sorted(normal_sql(text) for text in example.after)
        return
    mutants = make_mutants(
        write_program(example),
        example.schemas,
        module="m",
        function="solve",
        operators=[operator],
        generic=False,
    )
    assert sorted(result_of(m.source) for m in mutants) == sorted(
        ast.unparse(ast.parse(a)) for a in example.after
    )


def normal_sql(text):
    import sqlglot

    return " ".join(sqlglot.parse_one(text, read="spark").sql(dialect="spark", pretty=True).split())


@pytest.mark.parametrize("operator", list_operators(), ids=lambda operator: operator.name)
def test_an_operator_leaves_code_alone_that_is_none_of_its_business(operator):
    plain = "def solve(a, b):\n    if a.limit > 5 and b == 'x':\n        return ','.join(sorted(b))\n    return a + 1\n"

    assert make_mutants(plain, {}, module="m", function="solve", operators=[operator], generic=False) == ()


@pytest.mark.parametrize("operator", list_operators(), ids=lambda operator: operator.name)
def test_an_operator_documents_itself_under_the_fixed_headings(operator):
    import sys

    text = sys.modules[type(operator).__module__].__doc__

    for heading in (
        "What it does",
        "The mistake it imitates",
        "Example",
        "When it changes nothing",
        "Which obligation it serves",
    ):
        assert f"\n{heading}:\n    " in text
    assert operator.examples()
