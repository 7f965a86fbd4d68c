"""Nearly everything the operators make is accepted by an engine's analyser: a crash tells nothing about tests."""

import json
import subprocess
import sys
from pathlib import Path

from pytest_lockin.alternatives import make_mutants, make_variants
from pytest_lockin.taskbank.statements import read_statement

FOLDER = Path(__file__).parent
STORE = json.loads((FOLDER / "programs" / "schemas.json").read_text())
MOST_REFUSED = 0.05


def ask(**asked):
    done = subprocess.run(
        [sys.executable, str(FOLDER / "analyse_child.py")],
        input=json.dumps({"schemas": STORE, "programs": {}, "statements": {}, **asked}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_question_can_be_answered_with_no():
    refused = ask(
        programs={"bad": "def solve(spark, tables):\n    return tables['item'].select('nope')\n"},
        statements={"worse": "SELECT nope FROM item", "good": "SELECT i_brand FROM item"},
    )

    assert set(refused) == {"bad", "worse"}


def test_mutants_of_real_programs_analyse():
    programs = {}
    for name in ("q03_full", "q12_terse", "q36_full"):
        source = (FOLDER / "programs" / f"{name}.py").read_text()
        mutants = make_mutants(source, STORE, module=name, function="solve")
        programs |= {f"{name} {m.operator} {m.before!r} -> {m.after!r} {m.id}": m.source for m in mutants}

    refused = ask(programs=programs)

    assert len(programs) > 350
    assert len(refused) <= MOST_REFUSED * len(programs), refused


def test_variants_of_real_statements_analyse():
    statements = {}
    for task in ("q03", "q36", "q93", "q98"):
        for variant in make_variants(read_statement(task).text, STORE):
            statements[f"{task} {variant.operator} {variant.before!r} -> {variant.after!r} {variant.id}"] = (
                variant.sql
            )

    refused = ask(statements=statements)

    assert len(statements) > 250
    assert len(refused) <= MOST_REFUSED * len(statements), refused
