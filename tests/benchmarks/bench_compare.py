"""Time `compare` against the comparers people use, on the same tables in the same run; print ratios.

    python tests/benchmarks/bench_compare.py [--rows 1000000] [--repeat 3] [--with-spark-rows 100000]

One million rows of ten mixed columns, by default: equal and with one cell changed, in the same order and
shuffled. A comparer that compares row by row gets its rows sorted first where they are shuffled, and the
sorting counts: that is what its user would have to do. datacompy joins on the unique column `id`.
Every answer is checked: a comparer that says the wrong thing gets no time. The floor is the plainest
Arrow pass: `group_by` on all columns with `count_all`, of one table and of both.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import gc
import io
import logging
import os
import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pytest_lockin.frames import Frame, compare

if TYPE_CHECKING:
    from collections.abc import Callable

    Job = Callable[[], bool]


def make_table(rows: int) -> pa.Table:
    """Ten columns of the types a report has; `id` is unique."""
    rng = np.random.default_rng(20260501)
    words = [f"item number {i}" for i in range(5000)]
    states = ["CA", "NY", "TX", "WA", "GA", "OH", "VA"]
    cents = rng.integers(0, 10**7, rows)
    return pa.table(
        {
            "id": pa.array(rng.permutation(rows)),
            "store": pa.array(rng.integers(0, 1000, rows).astype(np.int32)),
            "share": pa.array(rng.random(rows), mask=rng.random(rows) < 0.01),
            "amount": pa.array(rng.random(rows) * 1000),
            "item": pa.DictionaryArray.from_arrays(rng.integers(0, 5000, rows), words).dictionary_decode(),
            "state": pa.DictionaryArray.from_arrays(
                pa.array(rng.integers(0, 7, rows), mask=rng.random(rows) < 0.01), states
            ).dictionary_decode(),
            "promo": pa.array(rng.random(rows) < 0.3),
            "day": pa.array(rng.integers(0, 20000, rows).astype(np.int32)).cast(pa.date32()),
            "sold_at": pa.array(rng.integers(0, 10**15, rows)).cast(pa.timestamp("us", "UTC")),
            "price": pa.array(cents).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)),
        }
    )


def change_one_cell(table: pa.Table) -> pa.Table:
    """Change the amount in one row in the middle."""
    amounts = table["amount"].to_numpy().copy()
    amounts[len(amounts) // 2] += 1.0
    return table.set_column(table.column_names.index("amount"), "amount", pa.array(amounts))


def shuffle(table: pa.Table) -> pa.Table:
    """Give the same rows in another order."""
    return table.take(pa.array(np.random.default_rng(7).permutation(table.num_rows)))


def best_time(job: Job, repeat: int, *, expect: bool) -> tuple[float, float] | str:
    """Give the best wall time and the best processor time of the runs, or what went wrong.

    Processor time is of all threads. On a busy machine it is the steadier of the two.
    """
    wall = cpu = float("inf")
    for _ in range(repeat):
        gc.collect()
        start, used = time.perf_counter(), time.process_time()
        try:
            equal = job()
        except Exception as error:  # noqa: BLE001
            return f"{type(error).__name__}: {str(error)[:60]}"
        wall, cpu = min(wall, time.perf_counter() - start), min(cpu, time.process_time() - used)
        if equal is not expect:
            return "wrong answer"
    return wall, cpu


def with_lockin(left: pa.Table, right: pa.Table) -> Job:
    """Ours."""
    one, other = Frame.of(left), Frame.of(right)
    return lambda: compare(one, other) == ()


def with_arrow(*tables: pa.Table) -> Job:
    """The floor: it answers nothing, it only groups."""

    def run() -> bool:
        for table in tables:
            table.group_by(table.column_names).aggregate([([], "count_all")])
        return True

    return run


def with_pandas(left: pa.Table, right: pa.Table, *, ordered: bool) -> Job:
    """`pandas.testing.assert_frame_equal`; conversion to pandas does not count, sorting does."""
    import pandas as pd

    one, other = left.to_pandas(), right.to_pandas()

    def run() -> bool:
        a, b = one, other
        if not ordered:
            a = a.sort_values(list(a.columns)).reset_index(drop=True)
            b = b.sort_values(list(b.columns)).reset_index(drop=True)
        try:
            pd.testing.assert_frame_equal(a, b, rtol=1e-9, atol=0)
        except AssertionError:
            return False
        return True

    return run


def with_datacompy(left: pa.Table, right: pa.Table) -> Job:
    """`datacompy.PolarsCompare` joined on the unique key; conversion to Polars does not count."""
    import datacompy
    import polars as pl

    logging.disable(logging.INFO)
    one, other = pl.from_arrow(left), pl.from_arrow(right)
    return lambda: bool(datacompy.PolarsCompare(one, other, join_columns=["id"], rel_tol=1e-9).matches())


def with_pyspark(left: pa.Table, right: pa.Table, *, ordered: bool) -> Job:
    """`pyspark.testing.assertDataFrameEqual` on a Spark Connect session (Sail, in this process)."""
    from pyspark.testing import assertDataFrameEqual

    session = _sail_session()
    one, other = session.createDataFrame(left), session.createDataFrame(right)

    def run() -> bool:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                assertDataFrameEqual(other, one, checkRowOrder=ordered, rtol=1e-9, atol=0, maxErrors=1)
        except Exception as error:
            if type(error).__name__ == "PySparkAssertionError":
                return False
            raise
        return True

    return run


@functools.cache
def _sail_session() -> Any:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    _, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    session._lockin_server = server
    return session


def run_case(name: str, left: pa.Table, right: pa.Table, *, equal: bool, ordered: bool, repeat: int) -> None:
    """Time everything on one pair of tables and print each time as a multiple of ours."""
    jobs: dict[str, tuple[Job, bool]] = {
        "lockin": (with_lockin(left, right), equal),
        "arrow group_by, one table": (with_arrow(left), True),
        "arrow group_by, both tables": (with_arrow(left, right), True),
        "pandas": (with_pandas(left, right, ordered=ordered), equal),
        "datacompy (polars)": (with_datacompy(left, right), equal),
    }
    report(name, {label: best_time(job, repeat, expect=expect) for label, (job, expect) in jobs.items()})


def run_spark_case(name: str, left: pa.Table, right: pa.Table, *, equal: bool, ordered: bool) -> None:
    """Time pyspark.testing once (it is slow) against ours on the same tables."""
    ours = best_time(with_lockin(left, right), 3, expect=equal)
    theirs = best_time(with_pyspark(left, right, ordered=ordered), 1, expect=equal)
    report(name, {"lockin": ours, "pyspark.testing": theirs})


def report(name: str, times: dict[str, tuple[float, float] | str]) -> None:
    """Print one line per comparer: wall and processor time as multiples of ours."""
    ours = times["lockin"]
    print(f"\n{name}", flush=True)  # noqa: T201
    for label, took in times.items():
        if isinstance(took, str) or isinstance(ours, str):
            print(f"  {label:30} {took}")  # noqa: T201
        else:
            ratios = f"wall {took[0] / ours[0]:8.2f}   cpu {took[1] / ours[1]:8.2f}"
            print(f"  {label:30} {ratios}   ({took[0]:.3f} s, {took[1]:.3f} s)")  # noqa: T201


def main() -> None:
    """Run all cases."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many runs; 0: pyspark only")
    parser.add_argument(
        "--with-spark-rows", type=int, default=0, help="also time pyspark.testing at this size"
    )
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    table = make_table(given.rows)
    for name, left, right, equal, ordered in _cases(table) if given.repeat else ():
        run_case(f"{name}, {given.rows} rows", left, right, equal=equal, ordered=ordered, repeat=given.repeat)
    if given.with_spark_rows:
        some = make_table(given.with_spark_rows)
        for name, left, right, equal, ordered in _cases(some):
            title = f"{name}, {given.with_spark_rows} rows, Spark Connect"
            run_spark_case(title, left, right, equal=equal, ordered=ordered)


def _cases(table: pa.Table) -> list[tuple[str, pa.Table, pa.Table, bool, bool]]:
    changed = change_one_cell(table)
    # Built anew: sharing memory would let an identity check answer.
    again = pa.table(
        {
            n: pa.concat_arrays([c.combine_chunks().slice(0, 1), c.combine_chunks().slice(1)])
            for n, c in zip(table.column_names, table.columns, strict=True)
        }
    )
    return [
        ("equal, same order", table, again, True, True),
        ("equal, shuffled", table, shuffle(table), True, False),
        ("one cell, same order", table, changed, False, True),
        ("one cell, shuffled", table, shuffle(changed), False, False),
    ]


if __name__ == "__main__":
    main()
