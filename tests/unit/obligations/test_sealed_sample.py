"""A fixed small sample of the benchmark: one misreading of one task, gone unnoticed in every way."""

from itertools import takewhile

import pytest

from pytest_lockin.sealed import World, answer_record
from pytest_lockin.sealing_records import build_records
from pytest_lockin.studies.mechanisms.records import CANARY


@pytest.fixture(scope="module")
def world():
    return World("q93")


@pytest.fixture(scope="module")
def sample(world):
    """The records of the first misreading written down for the task."""
    return list(takewhile(lambda pair: pair[1].obligation == "O6", build_records(world)))


def test_each_way_is_told_with_the_obligation(world, sample):
    assert len({label.mechanism for _, label in sample}) >= 4
    for record, label in sample:
        assert answer_record(record, world).found[:1] == ((label.obligation, label.mechanism),)


def test_answers_do_not_depend_on_labels_and_hold_none_of_them(world, sample):
    before = [answer_record(record, world) for record, _ in sample]
    relabelled = [record for record, _ in reversed(sample)]
    after = [answer_record(record, world) for record in relabelled]
    assert before == after[::-1]
    assert CANARY not in repr(before) + repr(relabelled)
