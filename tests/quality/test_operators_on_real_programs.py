"""What the operators make of programs that were written before they were: enough, readable, one edit each."""

import ast
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from pytest_lockin.alternatives import make_mutants
from pytest_lockin.model.task import Kind

PROGRAMS = Path(__file__).parent / "programs"
STORE = json.loads((PROGRAMS / "schemas.json").read_text())
SHOP = {
    "orders": {"order_id": "int", "customer_id": "int", "amount": "int", "status": "string"},
    "customers": {"customer_id": "int", "region_id": "int"},
    "regions": {"region_id": "int", "region_name": "string"},
}
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.py"))


def schemas_of(name):
    return SHOP if name == "top_customers" else STORE


def read(name):
    return (PROGRAMS / f"{name}.py").read_text()


@pytest.fixture(scope="module")
def made():
    return {name: make_mutants(read(name), schemas_of(name), module=name, function="solve") for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_every_mutant_compiles_and_differs_from_all_others_in_more_than_layout(name, made):
    dumps = [ast.dump(ast.parse(mutant.source)) for mutant in made[name]]

    for mutant in made[name]:
        compile(mutant.source, name, "exec")
    assert len(set(dumps)) == len(dumps)
    assert ast.dump(ast.parse(read(name))) not in dumps


@pytest.mark.parametrize("name", NAMES)
def test_a_mutant_is_the_source_with_its_site_replaced_and_nothing_else(name, made):
    source = read(name)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    for mutant in made[name]:
        start = starts[mutant.site.line - 1] + mutant.site.column
        end = starts[mutant.site.end_line - 1] + mutant.site.end_column
        # A link of a chain is taken out with the blanks before it.
        assert mutant.source.startswith(source[:start].rstrip())
        assert mutant.source.endswith(source[end:])
        assert source[start:end].strip() == mutant.before


@pytest.mark.parametrize("name", NAMES)
def test_the_diff_turns_the_source_into_the_mutant(name, made):
    for mutant in made[name]:
        assert apply_diff(read(name), mutant.diff) == mutant.source.splitlines()


def apply_diff(source, diff):
    _, _, header, *body = diff.split("\n")
    first = int(re.match(r"@@ -(\d+)", header)[1]) - 1
    old = [line[1:] for line in body if line[0] in " -"]
    new = [line[1:] for line in body if line[0] in " +"]
    lines = source.splitlines()
    assert lines[first : first + len(old)] == old
    return lines[:first] + new + lines[first + len(old) :]


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_one_readable_line_and_ids_are_unique(name, made):
    for mutant in made[name]:
        assert re.fullmatch(r"no test notices if [^\n]{8,180}", mutant.text), mutant.text
        assert "Ellipsis" not in mutant.text
    ids = [mutant.id for mutant in made[name]]
    assert len(set(ids)) == len(ids)


def test_each_family_makes_its_share(made):
    counts = Counter(mutant.operator for mutants in made.values() for mutant in mutants)
    least = {
        "join-type": 110,
        "join-key": 45,
        "filter": 60,
        "having": 15,
        "literal": 70,
        "column": 400,
        "conditional": 6,
        "aggregate": 50,
        "group-key": 30,
        "grouping": 20,
        "distinct": 25,
        "set-operation": 15,
        "window": 12,
        "sort": 45,
        "limit": 24,
        "nulls": 50,
        "cast": 20,
        "arithmetic": 25,
        "column-order": 30,
        "alias": 2,
        "python": 2,
    }

    assert {name: counts[name] for name, most in least.items() if counts[name] < most} == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_obligation_a_program_has_is_served_in_two_directions(name, made):
    counts = Counter(mutant.kind for mutant in made[name])

    for kind in (Kind.JOIN, Kind.FILTER, Kind.METRIC, Kind.GROUP, Kind.ORDER, Kind.LIMIT):
        assert counts[kind] >= 2, kind


def test_the_lock_ins_of_the_study_are_among_the_alternatives(made):
    """The mistakes the published case studies describe, each one edit of a right program."""
    net = [m for m in made["q03_full"] if m.columns[:1] == ("store_sales.ss_net_profit",)]
    assert {"store_sales.ss_net_paid"} <= {column for mutant in net for column in mutant.columns}
    prices = [m for m in made["q11_full"] if "store_sales.ss_list_price" in m.columns]
    assert any("store_sales.ss_ext_list_price" in m.columns for m in prices)
    outer = [m for m in made["q80_full"] if m.operator == "join-type" and m.before == '"left"']
    assert '"inner"' in {m.after for m in outer}


def test_a_moved_constant_says_which_column_it_bounds(made):
    moved = {m.before: m.columns for m in made["q03_full"] if m.operator == "literal"}

    assert moved == {"445": ("item.i_manufact_id",), "12": ("date_dim.d_moy",)}


def test_a_mutant_keeps_its_id_when_something_else_in_the_file_changes():
    before = read("top_customers")
    after = before.replace('"""Top customers', '"""The top customers').replace(
        "MAX_ROWS = 5\n", "MAX_ROWS = 5\nMORE = 1\n\n\n"
    )
    ids = [{m.id for m in make_mutants(s, SHOP, module="m", function="solve")} for s in (before, after)]

    assert ids[0] <= ids[1]


# Edits that people wrote by hand and that no operator makes as they stand, with the reason.
NOT_MADE = {
    "inner->left_semi... cross skipped": "compares with a value (refunded) that is nowhere in the program",
    "null region -> drop rows": "made before the grouping, not after it; the rows are the same",
    "dedupe orders before agg": "made for all keys and measures of the aggregation, not for two of them",
}


def test_the_edits_an_expert_wrote_are_made(made):
    source = read("top_customers")
    meanings = {meaning_of(mutant.source) for mutant in made["top_customers"]}
    missing = []
    for edit in json.loads((PROGRAMS / "top_customers_edits.json").read_text()):
        changed = source
        for minus, plus in zip(edit["minus"], edit["plus"], strict=True):
            assert minus in changed
            changed = changed.replace(minus, plus, 1)
        if meaning_of(changed) not in meanings:
            missing.append(edit["edit"])

    assert sorted(missing) == sorted(NOT_MADE)


def meaning_of(source):
    """The source with its constants put in place, and the keys of groupBy in one order."""
    tree = ast.parse(source)
    values = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }

    class Fold(ast.NodeTransformer):
        def visit_Name(self, node):
            return values.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

        def visit_BinOp(self, node):
            self.generic_visit(node)
            if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant):
                return ast.Constant(
                    eval(compile(ast.Expression(ast.fix_missing_locations(node)), "", "eval"))
                )
            return node

        def visit_Call(self, node):
            self.generic_visit(node)
            if isinstance(node.func, ast.Attribute) and node.func.attr == "groupBy":
                node.args.sort(key=ast.dump)
            return node

    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return "\n".join(ast.dump(Fold().visit(node)) for node in functions)
