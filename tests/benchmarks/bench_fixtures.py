"""How many wrong variants of each task's reference the fixtures tell from it, and what they cost.

    python tests/benchmarks/bench_fixtures.py --refs refs [--look] [--baselines] [--witnesses 20] [TASK ...]

`--look` stops after the search in DuckDB and lists what nothing separates: quick, for whoever makes datasets.
Without it fixtures are chosen and confirmed by plain runs on Sail (`--spark`: what Sail cannot run, on Spark).
`--baselines` runs the same variants on random rows, on rows that know the statement's literals and keys, and
on the references' own tables. `--out` keeps the fixtures. `--json` writes the numbers.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import sqlglot
from fixture_baselines import make_fuzz, make_random

from pytest_lockin.fixturegen.build import build_fixtures, look_for_separations
from pytest_lockin.fixturegen.confirm import Confirmation
from pytest_lockin.fixturegen.evaluate import make_programs, measure_separations
from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.lock import write_fixtures
from pytest_lockin.fixturegen.merge import largest_table
from pytest_lockin.fixturegen.pack import CAP, count_rows
from pytest_lockin.fixturegen.stack import make_stackable, stored_name
from pytest_lockin.fixturegen.warehouse import Warehouse, mentioned_columns
from pytest_lockin.fixturegen.witness import find_witness
from pytest_lockin.fixtures.making import find_source, judge_late, prepare
from pytest_lockin.fixtures.plain import PlainRuns
from pytest_lockin.model.fixture import Basis, Dataset, ForeignKey, Standing
from pytest_lockin.outputs import open_runner
from pytest_lockin.taskbank.bank import find_task, list_task_ids


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def look(making, show):
    """The search alone: separated, proved, and the rest with its text."""
    legal = tuple(dataset for dataset in making.datasets if not check_legal(dataset, making.profile))
    if len(legal) < len(making.datasets):
        say(f"  ILLEGAL: {len(making.datasets) - len(legal)} datasets")
    programs, making, matrix = look_for_separations(replace(making, datasets=legal))
    legal = making.datasets
    survivors = set(matrix.survivors())
    proofs = {v.id: making.prove(v.sql) for v in making.variants if v.id in survivors}
    named = output_names(making.reference)
    renamed = {v.id for v in making.variants if v.id in survivors and output_names(v.sql) != named}
    left = [v for v in making.variants if v.id in survivors - renamed and proofs[v.id] is None]
    small = {n for n, dataset in enumerate(legal) if largest_table(dataset) <= CAP}
    crowded = [v for v, seen in matrix.separated.items() if seen and not seen & small]
    if show and crowded:
        say(
            f"    only with more than {CAP} rows: {', '.join(v.text for v in making.variants if v.id in crowded)}"
        )
    for variant in left if show else ():
        say(f"    {variant.id} {variant.text} :: {variant.before} -> {variant.after}")
    return {
        "variants": len(making.variants),
        "datasets": len(legal),
        "tied_or_raising": len(legal) - len(matrix.defined),
        "crowded": len(crowded),
        "returning": sum(1 for rows in matrix.defined.values() if rows),
        "separated": sum(1 for seen in matrix.separated.values() if seen),
        "raising": len(set(matrix.raising) - {v for v, seen in matrix.separated.items() if seen}),
        "unrun": len(matrix.unrun) + len(programs.unread),
        "renamed": len(renamed),
        "proved": sum(1 for proof in proofs.values() if proof is not None),
        "left": len(left),
    }


def output_names(sql):
    """Names alone are told apart by plain runs: the search does not look at them."""
    return [column.alias_or_name.lower() for column in sqlglot.parse_one(sql, read="spark").selects]


def measure_baselines(making, refs):
    """What others' data would separate of the same variants: counts of variants."""
    programs = make_programs(making.reference, {v.id: v.sql for v in making.variants}, making.profile)
    data = {
        "random": make_random(making.profile, count=10),
        "fuzz1": make_fuzz(making.reference, with_links(making), count=1),
        "fuzz100": make_fuzz(making.reference, with_links(making), count=100),
    }
    counts = {}
    for name, datasets in data.items():
        with Warehouse(making.profile, datasets, programs.texts) as warehouse:
            counts[name] = count_separated(warehouse, programs)
    empty = Dataset(id="data", purpose="", tables=())
    with Warehouse(making.profile, [empty], programs.texts) as warehouse:
        for table, columns in mentioned_columns(making.profile, programs.texts).items():
            path = refs / "tables" / f"{table}.parquet"
            if path.exists():
                names = ", ".join(columns)
                warehouse._connection.execute(
                    f"INSERT INTO {stored_name(making.profile, table)} SELECT 0, {names} FROM '{path}'"
                )
        counts["data"] = count_separated(warehouse, programs)
    return counts


def with_links(making):
    """The profile, with the keys that the statement compares as foreign keys: a fuzzer knows these."""
    keys = {(t.name, k.columns[0]) for t in making.profile.tables for k in t.unique if len(k.columns) == 1}
    pairs = [
        pair
        for link in making.links
        for pair in (link, link[::-1])
        if pair[1] in keys and pair[0] not in keys
    ]
    tables = [
        replace(
            table,
            foreign=(
                *table.foreign,
                *(
                    ForeignKey(columns=(one[1],), table=other[0], targets=(other[1],), basis=Basis.MINED)
                    for one, other in dict(pairs).items()
                    if one[0] == table.name
                ),
            ),
        )
        for table in making.profile.tables
    ]
    return replace(making.profile, tables=tuple(tables))


def count_separated(warehouse, programs):
    matrix = measure_separations(warehouse, programs, enough=1)
    return sum(1 for seen in matrix.separated.values() if seen)


def measure_witnesses(making, made, most):
    """Rows of the smallest database found for every n-th variant that is separated by its rows."""
    reference = make_stackable(making.reference, making.profile)
    chosen = [
        s
        for s in made.standings
        if (s.standing is Standing.DISTINGUISHED and "number" in s.reason) or "values" in s.reason
    ]
    datasets = {fixture.name: fixture.to_dataset() for fixture in made.fixtures}
    texts = {v.id: v.sql for v in making.variants}
    sizes, seconds = [], []
    for standing in chosen[:: max(1, len(chosen) // most)]:
        begun = time.perf_counter()
        variant = make_stackable(texts[standing.id], making.profile)
        witness = find_witness(
            making.profile, reference, variant, [datasets[standing.fixture]], links=making.links
        )
        seconds.append(time.perf_counter() - begun)
        if witness is not None:
            sizes.append(count_rows(witness))
    return sizes, seconds


def measure_task(name, options, runner, open_judge):
    source = find_source(find_task(name), options.refs)
    begun, worked = time.perf_counter(), time.process_time()
    confirm = PlainRuns(runner, source.profile, source.reference) if runner else lambda *_: Confirmation()
    judge = judge_late(source, open_judge) if options.spark else None
    making = prepare(source, confirm, judge=judge)
    prepared = time.perf_counter() - begun
    if options.look:
        numbers = look(making, show=not options.quiet)
    else:
        made = build_fixtures(making)
        counts = {standing.value: 0 for standing in Standing}
        for each in made.standings:
            counts[each.standing.value] += 1
        stillborn = sum(1 for s in made.standings if s.reason.startswith("does not run"))
        numbers = {
            "variants": len(making.variants),
            "datasets": len(making.datasets),
            **counts,
            "stillborn": stillborn,
        }
        numbers["fixtures"] = [max(len(t.rows) for t in fixture.tables) for fixture in made.fixtures]
        if not options.quiet:
            for each in made.standings:
                if each.standing not in (Standing.DISTINGUISHED, Standing.PROVED):
                    say(f"    {each.standing.value} {each.id} {each.text}: {each.reason}")
    numbers |= {"prepared": round(prepared, 1), "seconds": round(time.perf_counter() - begun, 1)}
    numbers["cpu"] = round(time.process_time() - worked, 1)
    if options.baselines:
        numbers["baselines"] = measure_baselines(making, options.refs)
    if options.witnesses and not options.look:
        sizes, seconds = measure_witnesses(making, made, options.witnesses)
        numbers["witness"] = statistics.median(sizes) if sizes else None
        numbers["witness_sizes"] = sizes
        numbers["witness_seconds"] = round(statistics.mean(seconds), 2) if seconds else None
    if options.out and not options.look:
        write_fixtures(options.out, name, made.fixtures, made.standings, source.seal)
    return numbers


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", nargs="*")
    parser.add_argument("--refs", type=Path, default=Path("refs"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--witnesses", type=int, default=0)
    for flag in ("look", "baselines", "spark", "quiet"):
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    results = {}
    with contextlib.ExitStack() as stack:
        runner = None if options.look else stack.enter_context(open_runner("sail"))
        open_judge = functools.cache(lambda: stack.enter_context(open_runner("spark")))
        for name in options.task or list_task_ids():
            results[name] = measure_task(name, options, runner, open_judge)
            say(f"{name} { {k: v for k, v in results[name].items() if k != 'witness_sizes'} }")
            if options.json:
                options.json.write_text(json.dumps(results, indent=1) + "\n")
    sum_up(results)


def sum_up(results):
    numbers = [result for result in results.values() if "seconds" in result]
    totals = {
        key: sum(result.get(key, 0) for result in numbers)
        for key in numbers[0]
        if isinstance(numbers[0][key], int)
    }
    median = statistics.median(result["seconds"] for result in numbers)
    say(f"all {totals}, median {median} s")


if __name__ == "__main__":
    main()
