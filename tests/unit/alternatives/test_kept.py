"""Mutants are made once per program."""

from types import SimpleNamespace

import pytest

from pytest_lockin.alternatives import make_mutants, mutants
from pytest_lockin.alternatives.kept import keep_mutants
from pytest_lockin.errors import AlternativesError

SOURCE = """
from pyspark.sql import functions as F

def solve(spark, tables):
    return tables["orders"].filter(F.col("amount") > 10).groupBy("id").agg(F.sum("amount").alias("total"))
"""
SCHEMAS = {"orders": {"id": "int", "amount": "int", "tax": "int"}}


@pytest.fixture
def keep(tmp_path, monkeypatch):
    """Ask for mutants; `keep.made` counts how often they were made."""
    made = []

    def counted(*args, **kwargs):
        made.append(kwargs)
        return make_mutants(*args, **kwargs)

    monkeypatch.setattr(mutants, "make_mutants", counted)

    def keep(source=SOURCE, schemas=SCHEMAS, folder=tmp_path, **kwargs):
        return keep_mutants(folder, source, schemas, **{"module": "solution", "function": "solve"} | kwargs)

    keep.made = made
    return keep


def test_the_same_mutants_come_back(keep):
    first = keep()
    assert keep() == first == make_mutants(SOURCE, SCHEMAS, module="solution", function="solve")
    assert len(keep.made) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"source": SOURCE + "\nX = 1\n"},
        {"schemas": {"orders": {"id": "int", "amount": "int"}}},
        {"module": "other"},
        {"function": "other"},
    ],
)
def test_whatever_they_are_made_from_makes_others(keep, change):
    keep()
    keep(**change)
    assert len(keep.made) == 2


def test_without_a_folder_or_with_operators_of_others_nothing_is_kept(keep, tmp_path):
    other = SimpleNamespace(name="other", python=lambda _program: (), sql=lambda _query: ())
    keep(folder=None)
    keep(operators=(other,))
    assert not list(tmp_path.iterdir())


def test_a_torn_file_is_made_anew(keep, tmp_path):
    first = keep()
    (path,) = (tmp_path / "mutants").iterdir()
    path.write_bytes(path.read_bytes()[:-7])
    assert keep() == first


def test_a_source_that_is_no_python_is_refused(keep):
    with pytest.raises(AlternativesError):
        keep("def solve(:\n")
