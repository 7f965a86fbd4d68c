"""On how many of the 103 TPC-DS statements a seed returns rows, and the processor's time that making it takes.

python tests/benchmarks/bench_seeds.py [STATEMENT ...]
"""

from __future__ import annotations

import sys
import time

from pytest_lockin.fixturegen.completing import complete
from pytest_lockin.fixturegen.drafts import to_dataset
from pytest_lockin.fixturegen.form import read_form
from pytest_lockin.fixturegen.judge import DuckJudge
from pytest_lockin.fixturegen.profile import check_legal, make_profile
from pytest_lockin.fixturegen.seeds.making import SeedMaker
from pytest_lockin.model.task import Task
from pytest_lockin.sql import read_statement
from pytest_lockin.taskbank.statements import list_statement_ids
from pytest_lockin.taskbank.statements import read_statement as read_text
from pytest_lockin.taskbank.tables import read_tables


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(names):
    tables = read_tables()
    profile = make_profile(Task(id="tpcds", tables=tables))
    schemas = {table.name: {column.name: column.type for column in table.columns} for table in tables}
    returning, illegal, start = 0, 0, time.process_time()
    with DuckJudge(profile) as judge:
        for name in names or list_statement_ids():
            before = time.process_time()
            statement = read_statement(read_text(name).text, schemas)
            seed = SeedMaker(statement, read_form(statement), profile, judge).main()
            seconds = time.process_time() - before
            if seed is None:
                say(f"{name}  nothing  {seconds:6.2f} s")
                continue
            dataset = to_dataset(complete(seed.draft, profile), profile, name=name, purpose="")
            broken = check_legal(dataset, profile)
            returning += not broken
            illegal += bool(broken)
            say(
                f"{name}  {seed.rows:4} rows from {len(seed.draft):3}  {seconds:6.2f} s{'  ILLEGAL' * bool(broken)}"
            )
    say(
        f"{returning} of {len(names or list_statement_ids())} return rows, {illegal} illegal, {time.process_time() - start:.1f} s"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
