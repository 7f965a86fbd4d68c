"""What `make_mutants` promises of every mutant, and how it meets source it cannot use."""

import subprocess
import sys

import pytest

from pytest_lockin.alternatives import PythonEdit, list_operators, make_mutants
from pytest_lockin.errors import AlternativesError

TABLES = {
    "orders": {
        "id": "int",
        "customer": "int",
        "amount": "decimal(7,2)",
        "net_amount": "decimal(7,2)",
        "state": "string",
    },
    "customers": {"customer": "int", "region": "string"},
}


def make(source, **options):
    return make_mutants(source, TABLES, module="pkg.solution", function="solve", **options)


def afters(mutants, operator):
    return {(mutant.before, mutant.after) for mutant in mutants if mutant.operator == operator}


@pytest.mark.parametrize("source", ["def solve(:\n", "x = 'a\n", "\x00", "(" * 5000 + ")" * 5000])
def test_what_is_no_python_is_a_clear_error(source):
    with pytest.raises(AlternativesError, match=r"Python source in pkg\.solution"):
        make(source)


def test_a_program_without_the_entry_point_still_has_mutants_by_method_names():
    mutants = make("def helper(df):\n    return df.groupBy('a').count().limit(3)\n")

    assert ("3", "4") in afters(mutants, "limit")


@pytest.mark.parametrize(
    "head",
    [
        "from pyspark.sql.functions import avg, col, max, sum\nF = None\n{sum}",
        "import pyspark.sql.functions as fn\n{fn.sum}",
        "from pyspark.sql import functions\n{functions.sum}",
        "from pyspark.sql import functions as F\n{F.sum}",
    ],
)
def test_functions_are_known_however_they_are_imported(head):
    imports, _, name = head.rstrip("}").rpartition("{")
    source = f'{imports}\n\ndef solve(spark, tables):\n    return tables["orders"].groupBy("state").agg({name}("amount"))\n'

    assert (name, name.replace("sum", "avg")) in afters(make(source), "aggregate")


def test_comments_and_formatting_around_an_edit_stay():
    source = (
        "from pyspark.sql import functions as F\n\n\ndef solve(spark, tables):\n"
        "    return (\n"
        '        tables["orders"]\n'
        "        # only what was paid\n"
        '        .where((F.col("state")   ==   "paid")  # the state\n'
        '               & (F.col("amount") >= 10))\n'
        "        .limit( 7 )  # a few\n"
        "    )\n"
    )
    mutants = make(source)

    for mutant in mutants:
        assert "# only what was paid" in mutant.source
        assert "# a few" in mutant.source
    (moved,) = [m for m in mutants if (m.before, m.after) == (">=", ">")]
    assert moved.source == source.replace(">= 10", "> 10")


def test_positions_count_characters_where_the_source_is_not_ascii():
    source = 'def solve(spark, tables):\n    x = "süß"; return tables["orders"].limit(5)\n'
    (mutant,) = [m for m in make(source) if m.after == "6"]

    line = source.splitlines()[mutant.site.line - 1]
    assert line[mutant.site.column : mutant.site.end_column] == "5"
    assert mutant.source.count("süß") == 1


def test_module_constants_are_moved_where_they_are_written():
    source = (
        "from pyspark.sql import functions as F\nLEAST = 445\nSTATES = ['paid', 'sent']\n\n\n"
        "def solve(spark, tables):\n"
        "    return tables['orders'].where((F.col('id') > LEAST) & F.col('state').isin(STATES))\n"
    )
    made = afters(make(source), "literal")

    assert {("445", "444"), ("445", "446"), ("'paid'", "'PAID'")} <= made
    assert any("STATES = ['sent']" in mutant.source for mutant in make(source))


def test_a_column_is_never_replaced_by_one_that_is_not_there():
    source = (
        "from pyspark.sql import functions as F\n\n\ndef solve(spark, tables):\n"
        "    lines = tables['orders'].select('state', 'amount')\n"
        "    return lines.groupBy('state').agg(F.sum('amount').alias('total'))\n"
    )
    mutants = make(source)

    assert not [m for m in mutants if m.operator == "column" and "sum('net_amount')" in m.source]
    assert [m for m in mutants if 'F.col("net_amount").alias("amount")' in m.source]


def test_no_mutant_only_changes_the_case_of_a_column_or_forgets_an_argument():
    source = (
        "from pyspark.sql import functions as F\n\n\ndef solve(spark, tables):\n"
        "    return tables['orders'].join(tables['customers'], on='customer', how='left').select('AMOUNT', 'region')\n"
    )

    for mutant in make(source):
        assert mutant.before.lower() != mutant.after.lower()
        assert "None" not in mutant.after
        assert "XX" not in mutant.after


def test_an_alias_that_never_reaches_the_result_is_left_alone():
    source = (
        "from pyspark.sql import functions as F\n\n\ndef solve(spark, tables):\n"
        "    lines = tables['orders'].select(F.col('amount').alias('inner'), 'state')\n"
        "    return lines.groupBy('state').agg(F.sum('inner').alias('shown'))\n"
    )

    assert afters(make(source), "alias") == {("'shown'", "'shown_x'")}


def test_another_plugins_operator_takes_part():
    class Shout:
        name = "shout"

        def python(self, program):
            for call in program.methods("frame", "limit"):
                yield PythonEdit(
                    start=program.layout.span(call.args[0])[0],
                    end=program.layout.span(call.args[0])[1],
                    replacement="99",
                    kind=None,
                    text="there are 99 rows",
                )

        def sql(self, query):
            return ()

        def examples(self):
            return ()

    source = "def solve(spark, tables):\n    return tables['orders'].limit(5)\n"

    assert afters(make(source, operators=list_operators([Shout()])), "shout") == {("5", "99")}
    with pytest.raises(AlternativesError, match="two named 'shout'"):
        list_operators([Shout(), Shout()])


def test_generic_edits_serve_no_obligation_and_can_be_left_out():
    source = (
        "def solve(spark, tables):\n    n = 1\n    if n > 0:\n        n += 2\n    return tables['orders']\n"
    )

    assert {mutant.kind for mutant in make(source) if mutant.operator == "python"} == {None}
    assert "python" not in {mutant.operator for mutant in make(source, generic=False)}


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys, pytest_lockin.alternatives;"
        "print([n for n in ('mutmut', 'libcst', 'sqlglot', 'pyspark', 'pysail', 'pytest') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_sql_inside_the_program_is_edited_token_by_token():
    source = (
        "from pyspark.sql import functions as F\n\n\ndef solve(spark, tables):\n"
        "    d = tables['orders'].filter(\"amount  >= 5 and state='paid'\")\n"
        "    d = d.selectExpr('amount * 2 as twice', 'id')\n"
        "    return d.withColumn('k', F.expr('coalesce(twice, 0)'))\n"
    )
    mutants = make(source)
    lines = {line for mutant in mutants for line in mutant.source.splitlines()}

    assert "    d = tables['orders'].filter(\"amount  > 5 and state='paid'\")" in lines
    assert "    d = tables['orders'].filter(\"amount  >= 5\")" in {
        line.replace('5 "', '5"') for line in lines
    }
    assert "    d = d.selectExpr('net_amount * 2 as twice', 'id')" in lines
    assert "    return d.withColumn('k', F.expr('twice'))" in lines
