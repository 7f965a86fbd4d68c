"""A reference judges nobody before it has been looked at itself."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pytest_lockin.errors import UnfitReferenceError
from pytest_lockin.references.stage import stage_tables

TOTALS = "select customer, sum(amount) as total from orders group by customer"


def test_a_sound_statement_is_fit_and_its_output_is_kept(refs):
    vetted = refs.write(reference__sql=TOTALS + ";").vet()
    assert vetted.unfit == ""
    assert vetted.output[0][1].rows == 4
    assert vetted.output[0][1].names == ("customer", "total")


def test_a_comment_first_and_a_closing_semicolon_change_nothing(refs):
    vetted = refs.write(reference__sql=f"-- totals\n{TOTALS}\n;\n").vet()
    assert vetted.unfit == ""


def test_a_statement_that_does_not_run_is_unfit_and_says_why(refs):
    vetted = refs.write(reference__sql="select * from returns").vet()
    assert "reference.sql raised" in vetted.unfit
    assert "returns" in vetted.unfit


def test_a_statement_without_rows_is_unfit(refs):
    vetted = refs.write(reference__sql=TOTALS.replace("group", "where amount > 99 group")).vet()
    assert vetted.unfit == "reference.sql returns no rows on this data"


@pytest.mark.parametrize(
    "clock", ["current_date()", "now()", "rand()", "uuid()", "current_timestamp", "unix_timestamp()"]
)
def test_a_statement_that_reads_the_clock_or_rolls_dice_is_unfit(refs, clock):
    vetted = refs.write(reference__sql=f"select id, {clock} as x from orders").vet()
    assert "depends on time or chance" in vetted.unfit


def test_a_program_that_reads_the_clock_is_unfit(refs):
    refs.write(
        reference__py="from datetime import date\ndef solve(spark, tables):\n"
        "    return tables['orders'].where(f'id < {date.today().day + 40}')\n"
    )
    assert refs.vet().unfit == "reference.py depends on time or chance: date.today"


def test_a_limit_without_order_inside_makes_a_reference_unstable(refs):
    """A51: which row a bare LIMIT keeps depends on order and partitioning of the input."""
    many = pa.table(
        {"k": pa.array(range(400), pa.int64()), "v": pa.array([i % 7 for i in range(400)], pa.int64())}
    )
    refs.table("big", many)
    vetted = refs.write(reference__sql="select k, v from big where k in (select k from big limit 3)").vet()
    assert "unstable" in vetted.unfit
    assert "shuffled" in vetted.unfit


def test_a_legal_choice_at_a_tie_is_not_unstable(refs):
    ties = pa.table({"k": pa.array(range(300), pa.int64()), "v": pa.array([1] * 300, pa.int64())})
    refs.table("ties", ties)
    vetted = refs.write(reference__sql="select k, v from ties order by v limit 10").vet()
    assert vetted.unfit == ""
    assert vetted.pool is not None
    assert vetted.pool.rows == 300


def test_a_python_reference_has_the_same_entry_point_and_may_import_its_neighbours(refs):
    refs.write(
        rates__py="RATE = 2\n",
        reference__py="""
from rates import RATE
from pyspark.sql import functions as F
def solve(spark, tables):
    return tables["orders"].groupBy("customer").agg((F.sum("amount") * RATE).alias("total"))
""",
    )
    vetted = refs.vet()
    assert vetted.unfit == ""
    assert sum(vetted.output[0][1].table["total"].to_pylist()) == 190


def test_members_of_a_panel_must_agree_before_they_judge(refs):
    refs.write(reference__sql=TOTALS)
    (refs.root / "t" / "reference_other.sql").write_text(TOTALS.replace("sum", "max"))
    unfit = refs.vet().unfit
    assert unfit.startswith("the panel disagrees: reference.sql and reference_other.sql")


def test_a_stored_output_is_a_reference_of_its_own(refs):
    expected = pa.table({"customer": ["ann"], "total": pa.array([40], pa.int64())})
    pq.write_table(expected, refs.root / "t" / "expected.parquet")
    vetted = refs.vet()
    assert vetted.unfit == ""
    assert vetted.output[0][1].rows == 1


def test_a_damaged_stored_output_is_unfit_in_words(refs):
    (refs.root / "t" / "expected.parquet").write_bytes(b"PAR1 not really")
    assert "expected.parquet cannot be read" in refs.vet().unfit


def test_a_reference_without_tables_is_unfit(refs):
    refs.write(reference__sql="select 1 as one")
    (refs.root / "t" / "tables" / "orders.parquet").unlink()
    assert "has no tables to run on" in refs.vet().unfit


def test_a_python_reference_that_ends_its_process_is_unfit_and_the_next_one_runs(refs):
    refs.write(reference__py="import os\ndef solve(spark, tables):\n    os._exit(3)\n")
    assert "worker-crashed" in refs.vet().unfit
    (refs.root / "t" / "reference.py").unlink()
    assert refs.write(reference__sql=TOTALS).vet().unfit == ""


def test_several_outputs_are_compared_part_by_part(refs):
    refs.write(
        reference__py="""
def solve(spark, tables):
    orders = tables["orders"]
    return {"all": orders, "ann": orders.where("customer = 'ann'")}
"""
    )
    vetted = refs.vet()
    assert vetted.unfit == ""
    assert [name for name, _ in vetted.output] == ["all", "ann"]


def test_a_missing_folder_is_a_configuration_error_not_a_score(refs):
    """E15: a typo in a reference's path must never look like a wrong program."""
    (refs.root / "t" / "reference.toml").write_text('references = ["refrence.sql"]\n')
    with pytest.raises(UnfitReferenceError, match=r"refrence\.sql"):
        refs.panel()


def test_staged_tables_are_copies_under_neutral_names(refs, tmp_path):
    refs.write(reference__sql=TOTALS)
    (staged,) = stage_tables(refs.panel().tables, tmp_path / "data")
    assert str(refs.root / "t") not in staged.path
    path = tmp_path / "data"
    copy = next(path.rglob("orders.parquet"))
    assert not copy.is_symlink()
    assert copy.stat().st_ino != (refs.root / "t/tables/orders.parquet").stat().st_ino
