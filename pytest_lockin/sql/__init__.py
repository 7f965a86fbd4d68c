"""Reading statements of Spark SQL: qualified names, lineage, types. Knows no stage."""

from pytest_lockin.sql.statement import Statement, branches_of, conjuncts, expressions_of, read_statement

__all__ = ["Statement", "branches_of", "conjuncts", "expressions_of", "read_statement"]
