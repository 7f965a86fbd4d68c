"""A Spark session and input tables for tests, for programs called as `solve(spark, tables)`.

Made by `lockin init`; it is yours to change. A test asks for `tables`, calls the program and says what must
hold.

The rows are a fixture of their own, so that the same test runs on other rows: a test file overrides `rows`,
and `@pytest.mark.parametrize("rows", [...])` gives several.
"""

import pytest
from pyspark.sql import SparkSession

# The input tables with their columns, as Spark's DDL writes them: put yours here.
SCHEMAS = {
    "orders": "order_id bigint, customer_id bigint, status string, amount decimal(10,2)",
    "customers": "customer_id bigint, city string",
}


@pytest.fixture(scope="session")
def spark():
    """One session for all tests; under lockin it is the worker's own, whatever is configured here."""
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture
def rows():
    """Rows by table; a table without rows is empty. Override it where a test needs others."""
    return {}


@pytest.fixture
def tables(spark, rows):
    """Every input table as a DataFrame of its schema, by name."""
    unknown = set(rows) - set(SCHEMAS)
    assert not unknown, f"rows for tables that SCHEMAS does not have: {sorted(unknown)}"
    return {name: spark.createDataFrame(rows.get(name, []), schema) for name, schema in SCHEMAS.items()}
