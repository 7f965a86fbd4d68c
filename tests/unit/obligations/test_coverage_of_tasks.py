"""The hand-written obligations of the thirty tasks against those derived from their statements."""

from dataclasses import replace

import pytest
import sqlglot

from pytest_lockin.model.task import Fragment, Kind
from pytest_lockin.obligations import derive_obligations
from pytest_lockin.obligations.coverage import match_obligations
from pytest_lockin.taskbank.bank import load_bank
from pytest_lockin.taskbank.statements import read_statement

# Growth of a customer's totals (q04, q11) is written down under the customer's id; what is no key (q22) and
# what follows from another condition (q93) no clause shows.
UNMATCHED = {("q04", "O9"), ("q04", "O10"), ("q11", "O9"), ("q22", "O4"), ("q93", "O4")}


@pytest.fixture(scope="module")
def derived():
    found = {}
    for task in load_bank():
        schemas = task.schemas
        found[task.id] = derive_obligations(read_statement(task.id).text, schemas)
    return found


def outputs(task_id, obligations):
    """Other names of output columns: the place, and the name Spark makes up for one without."""
    labels = next(each.columns for each in obligations if each.fragment is Fragment.ALIAS)
    names = {f"#{place}": label for place, label in enumerate(labels, start=1)}
    tree = sqlglot.parse_one(read_statement(task_id).text, read="spark")
    for label, item in zip(labels, tree.selects, strict=False):
        if label.startswith("#"):
            names[item.sql("spark").lower()] = label
    return names


def match_all(derived, change=lambda obligations: obligations, shift=0):
    tasks = load_bank()
    for place, task in enumerate(tasks):
        other = derived[tasks[(place + shift) % len(tasks)].id]
        for match in match_obligations(task.obligations, change(other), outputs(task.id, derived[task.id])):
            yield task.id, match


def test_at_least_95_of_100_hand_written_obligations_are_derived(derived):
    matches = list(match_all(derived))
    unmatched = {(task, match.obligation.id) for task, match in matches if not match.covered}
    assert unmatched == UNMATCHED
    assert 1 - len(unmatched) / len(matches) >= 0.95


def test_nearly_all_columns_of_hand_written_obligations_are_named(derived):
    recalls = [match.recall for _, match in match_all(derived)]
    assert sum(recalls) / len(recalls) >= 0.95


def test_another_tasks_derived_list_covers_little(derived):
    matches = list(match_all(derived, shift=7))
    assert sum(match.covered for _, match in matches) / len(matches) < 0.5


def test_the_same_columns_under_other_kinds_cover_little(derived):
    kinds = [kind for kind in Kind if kind is not Kind.LITERAL]

    def rotate(obligations):
        return [
            replace(
                each,
                kind=kinds[(kinds.index(each.kind) + 3) % len(kinds)] if each.kind in kinds else Kind.LIMIT,
            )
            for each in obligations
        ]

    matches = list(match_all(derived, change=rotate))
    assert sum(match.covered for _, match in matches) / len(matches) < 0.5
