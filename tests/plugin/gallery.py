"""The suites of the gallery: each folder shows one trait of tests as people and models write them.

Tasks: `big` (a filter), `pair` and `named` (two outputs, by position and by name). What is said about each suite is asserted in
`test_gallery.py`; a suite's own asserts hold on a sane session only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugin_project import BIG_TESTS

if TYPE_CHECKING:
    from plugin_project import Project

STYLES = '''
    import sys
    import unittest
    import warnings

    import pytest
    from pyspark.sql import SparkSession
    from solution import solve

    def orders(spark, *amounts):
        rows = [(number, float(amount)) for number, amount in enumerate(amounts)]
        return spark.createDataFrame(rows, "id int, amount double")

    def ids(frame):
        return sorted(row.id for row in frame.collect())

    @pytest.fixture(scope="session")
    def spark():
        return SparkSession.builder.master("local[4]").appName("tests").getOrCreate()

    @pytest.fixture(scope="module")
    def solved(spark):
        """Calls the entry point once for two cases."""
        return solve(spark, {"orders": orders(spark, 1, 11, 12)})

    class TestGrouped:
        @pytest.fixture(scope="class")
        def of_class(self, spark):
            return solve(spark, {"orders": orders(spark, 10, 11)})

        def test_boundary(self, of_class):
            assert ids(of_class) == [1]

        class TestInner:
            def test_nested(self, solved):
                assert ids(solved) == [1, 2]

    class TestUnit(unittest.TestCase):
        @classmethod
        def setUpClass(cls):
            cls.spark = SparkSession.builder.getOrCreate()
            cls.shared = solve(cls.spark, {"orders": orders(cls.spark, 50)})

        def test_shared(self):
            self.assertEqual(ids(self.shared), [0])

        def test_parts(self):
            for amount in (11, 12):
                with self.subTest(amount=amount):
                    self.assertEqual(ids(solve(self.spark, {"orders": orders(self.spark, amount)})), [0])

    @pytest.mark.parametrize(
        "amount", [11, 12, 13, 14], ids=["a::b", "\\u00fcber \\u2603", "[x]/y", "two words"]
    )
    def test_ids(spark, amount):
        assert ids(solve(spark, {"orders": orders(spark, amount)})) == [0]

    def test_module_fixture(solved):
        assert solved.columns == ["id", "amount"]

    def test_talks(spark):
        print("said on stdout")
        print("said on stderr", file=sys.stderr)

    def test_warns():
        warnings.warn("beware of the case", UserWarning)

    @pytest.mark.skip(reason="not today")
    def test_skips():
        raise AssertionError

    @pytest.mark.xfail(reason="known", strict=True)
    def test_expected_to_fail():
        assert 1 == 2

    @pytest.mark.xfail(reason="thought so")
    def test_passes_unexpectedly():
        pass

    @pytest.mark.lockin("O3")
    def test_marked(request):
        assert request.node.get_closest_marker("lockin").args == ("O3",)
'''

HELPED = """
    from helpers import AMOUNTS, EXPECTED
    from solution import solve

    def test_helped(spark, tag):
        orders = spark.createDataFrame(AMOUNTS, "id int, amount double")
        assert [row.id for row in solve(spark, {"orders": orders}).collect()] == EXPECTED
        assert tag == EXPECTED
"""
CONFTEST = """
    import pytest
    from helpers import EXPECTED
    from pyspark.sql import SparkSession

    pytest.a_suites_conftest_was_here = True

    @pytest.fixture(scope="session")
    def spark():
        session = SparkSession.builder.getOrCreate()
        yield session
        session.stop()

    @pytest.fixture
    def tag():
        return EXPECTED
"""

# Leaves its mark in the interpreter: an import under a second name, or a reload, would be seen.
COUNTED = """
    import builtins

    builtins.imports_of_the_candidate = getattr(builtins, "imports_of_the_candidate", 0) + 1

    from pyspark.sql import functions as F

    def solve(spark, tables):
        return tables["orders"].where(F.col("amount") > 10).select("id", "amount")
"""
COUNTING = """
    import builtins
    import sys

    from pyspark.sql import SparkSession
    import solution
    from solution import solve

    def test_counted():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(2, 20.0)], "id int, amount double")
        assert solve(spark, {"orders": orders}).count() == 1
        assert builtins.imports_of_the_candidate == 1
        assert sys.modules["solution"].solve is solve
"""

STOPPING = """
    from pyspark.sql import SparkSession
    from solution import solve

    def big(spark):
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        return solve(spark, {"orders": orders}).count()

    def test_stops():
        spark = SparkSession.builder.config("spark.sql.shuffle.partitions", "7").getOrCreate()
        spark.conf.set("spark.sql.caseSensitive", "true")
        assert big(spark) == 1
        spark.stop()

    def test_goes_on():
        assert big(SparkSession.builder.getOrCreate()) == 1
"""
FRESH = """
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import udf
    from pyspark.sql.types import DoubleType
    from solution import solve

    @udf(DoubleType())
    def doubled(amount):
        return amount * FACTOR

    FACTOR = 2.0

    def test_udf_of_the_module():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 6.0), (2, 4.0)], "id int, amount double")
        more = orders.withColumn("amount", doubled("amount"))
        assert [row.id for row in solve(spark, {"orders": more}).collect()] == [1]

    def test_no_other_suites_conf():
        spark = SparkSession.builder.getOrCreate()
        assert spark.conf.get("spark.sql.caseSensitive", "false") == "false"
"""

UNBORN = """
    from pyspark.sql import functions as F

    BIG = F.col("amount") > 10

    def solve(spark, tables):
        return tables["orders"].where(BIG).select("id", "amount")
"""

RED = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_red():
        print("words before the fall")
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        found = [row.id for row in solve(spark, {"orders": orders}).collect()]
        assert found == [1], "the wrong one"
"""

ENDING = """
    import os

    from solution import solve

    def test_before():
        pass

    def test_ends_the_process():
        os._exit(0)

    def test_after():
        pass
"""

NAMED = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_named():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        assert solve({call}).count() == 1
"""

PAIR = """
    def solve(spark, tables):
        orders = tables["orders"]
        return {result}
"""
PAIR_TESTS = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_pair():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        big, small = {unpack}
        assert (big.count(), small.count()) == (1, 1)
"""

INT = """
    def solve(spark, tables):
        return tables["orders"].where("amount > 10").count()
"""
INT_TESTS = """
    from pyspark.sql import SparkSession
    from solution import solve

    def test_int():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        assert solve(spark, {"orders": orders}) == 1
"""

ELSEWHERE = """
    from pyspark.sql import SparkSession
    from program import build

    def test_elsewhere():
        spark = SparkSession.builder.getOrCreate()
        orders = spark.createDataFrame([(1, 5.0), (2, 20.0)], "id int, amount double")
        assert build(orders).count() == 1
"""

MOCKED = """
    from unittest import mock

    import solution

    def test_mocked():
        with mock.patch("solution.solve", return_value=[1]) as solve:
            assert solution.solve(None, {}) == [1]
        solve.assert_called_once()
"""

WRONG = """
    def solve(spark, tables):
        return tables["orders"].where("amount > 10").selectExpr("id", "amount * 1.5 AS amount")
"""


def write_gallery(project: Project) -> None:
    """Write every suite, the references, and the ini file of the project."""
    project.write("pytest.ini", "[pytest]\nlockin_entry_points =\n    suites/big-elsewhere = program:build\n")
    project.write("tests/test_ordinary.py", "def test_ordinary(): pass\n")
    project.reference("big")
    project.reference(
        "pair",
        **{
            "reference.py": """
                def solve(spark, tables):
                    orders = tables["orders"]
                    return orders.where("amount > 10"), orders.where("amount <= 10")
            """
        },
    )
    project.reference(
        "named",
        **{
            "reference.py": """
                def solve(spark, tables):
                    orders = tables["orders"]
                    return {"big": orders.where("amount > 10"), "small": orders.where("amount <= 10")}
            """
        },
    )
    project.suite("big-styles", STYLES)
    project.suite(
        "big-helped",
        HELPED,
        conftest=CONFTEST,
        helpers="AMOUNTS = [(1, 5.0), (2, 20.0)]\nEXPECTED = [2]\n",
    )
    project.suite(
        "big-helped-too",
        HELPED,
        conftest=CONFTEST,
        helpers="AMOUNTS = [(1, 50.0), (2, 2.0)]\nEXPECTED = [1]\n",
    )
    project.suite("package", BIG_TESTS.replace("from solution", "from .solution"), __init__="")
    project.task("package")
    project.suite("big-counted", COUNTING, COUNTED)
    project.suite("big-conf-stops", STOPPING)
    project.suite("big-fresh", FRESH)
    project.suite("big-unborn", BIG_TESTS, UNBORN)
    project.suite("big-wrong", BIG_TESTS, WRONG)
    project.suite("big-red", RED)
    project.suite("big-empty", "from solution import solve\n\ndef helper():\n    pass\n")
    project.suite("big-skipped", "import pytest\n\n@pytest.mark.skip\ndef test_never():\n    pass\n")
    project.suite("big-skipped-whole", "import pytest\n\npytest.skip('whole', allow_module_level=True)\n")
    project.suite("big-unimportable", BIG_TESTS, "import no_such_library\n\ndef solve(spark, tables): pass\n")
    project.suite("big-syntax", "def test_broken(:\n    pass\n")
    project.suite("big-ends", ENDING)
    project.suite(
        "big-by-name",
        NAMED.format(call="orders"),
        "def solve(orders):\n    return orders.where('amount > 10')\n",
    )
    project.suite(
        "big-by-name-session",
        NAMED.format(call="spark, orders_df=orders"),
        "def solve(spark, orders_df):\n    return orders_df.where('amount > 10')\n",
    )
    pair = 'orders.where("amount > 10"), orders.where("amount <= 10")'
    project.suite(
        "pair-tuple",
        PAIR_TESTS.format(unpack='solve(spark, {"orders": orders})'),
        PAIR.format(result=pair),
    )
    project.suite(
        "named-dict",
        PAIR_TESTS.format(unpack='solve(spark, {"orders": orders}).values()'),
        PAIR.format(result='{"big": orders.where("amount > 10"), "small": orders.where("amount <= 10")}'),
    )
    project.suite("big-int", INT_TESTS, INT)
    project.suite(
        "big-elsewhere",
        ELSEWHERE,
        "raise ImportError('not the program')\n",
        program="def build(orders):\n    return orders.where('amount > 10')\n",
    )
    project.suite("big-uncalled", "def test_nothing_of_it():\n    import solution\n")
    project.suite("big-mocked", MOCKED)
