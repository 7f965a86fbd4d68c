"""Clauses, variants and mutants find the obligation they belong to."""

import pytest

from pytest_lockin.alternatives import make_variants
from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations.edits import read_variant, render
from pytest_lockin.obligations.link import Linker
from pytest_lockin.taskbank.bank import find_task, load_hidden
from pytest_lockin.taskbank.statements import read_statement


class Linked:
    def __init__(self, task_id):
        task = find_task(task_id)
        self.schemas = task.schemas
        self.sql = read_statement(task_id).text
        self.base = render(self.sql)
        self.variants = make_variants(self.sql, self.schemas)
        self.linker = Linker(self.sql, self.schemas, (*task.obligations, *load_hidden(task_id)))

    def homes(self, text, after=""):
        """The obligations of the variants whose description and new text hold these words."""
        chosen = [each for each in self.variants if text in each.text and after in each.after]
        assert chosen, f"no variant about {text!r}"
        return {self.linker.link_edit(read_variant(self.base, each), each.sql) for each in chosen}


@pytest.fixture(scope="module")
def linked():
    made = {}

    def give(task_id):
        if task_id not in made:
            made[task_id] = Linked(task_id)
        return made[task_id]

    return give


@pytest.mark.parametrize(
    ("task", "text", "after", "home"),
    [
        ("q03", "ss_net_paid is read where ss_net_profit is meant", "", "O5"),
        ("q03", "i_manufact_id", "<> 445", "O3"),
        ("q03", "one row more", "", "O9"),
        ("q03", "no sort key", "", "O8"),
        ("q36", "is not split by CASE", "", "O9"),
        ("q36", "dense_rank is taken where rank", "", "O8"),
        ("q93", "r_reason_desc", "<>", "O3"),
    ],
)
def test_variants_of_the_tasks_statements(linked, task, text, after, home):
    assert linked(task).homes(text, after) == {home}


def test_a_mutant_finds_its_obligation_by_kind_and_columns(linked):
    linker = linked("q03").linker
    assert linker.link_columns(Kind.METRIC, ("store_sales.ss_net_profit",)) == "O5"
    assert linker.link_columns(Kind.LITERAL, ("item.i_manufact_id",)) == "O3"
    assert linker.link_columns(Kind.JOIN, ("store_sales.ss_item_sk",)) == "O2"
    assert linker.link_columns(Kind.GROUP, ("item.i_brand", "item.i_brand_id")) == "O6"


def test_a_type_and_a_name_of_one_column_are_told_apart(linked):
    linker = linked("q03").linker
    assert linker.link_columns(Kind.TYPE, ("sum_agg",), Fragment.TYPE) == "O11"
    assert linker.link_columns(Kind.SCHEMA, ("sum_agg",), Fragment.ALIAS) == "O10"


def test_what_belongs_to_no_obligation_is_beyond_the_task(linked):
    linker = linked("q03").linker
    assert linker.link_columns(Kind.METRIC, ("item.i_color",)) == ""
    assert linker.link_columns(None, ("store_sales.ss_net_profit",)) == ""


def test_a_filter_of_computed_values_goes_to_the_obligation_that_speaks_of_them(linked):
    """Growth (O9) is written down under the customer's id; positive totals (O8) under their own columns."""
    made = linked("q11")
    drafts = [each for each in made.linker._drafts if each.kind is Kind.FILTER and "/" in each.text]
    assert drafts
    assert {made.linker.link_clause(each) for each in drafts} == {"O9"}
