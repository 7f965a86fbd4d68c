"""What a worker names is looked at before a program of ours reads it."""

from types import SimpleNamespace

import pyarrow as pa
import pytest

from pytest_lockin.frames.frame import Frame
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.laboratory import SuiteLab
from pytest_lockin.model.messages import AskReference, ProgramRaised, ProgramReturned
from pytest_lockin.model.suite import Argument, StoredFrame

FRAME = Frame(table=pa.table({"a": [1]}), rows=1, schema_json="")


@pytest.fixture
def lab(tmp_path):
    """A lab that has only its store; what is tested asks for nothing else."""
    made = SuiteLab.__new__(SuiteLab)
    made._store = FrameStore(tmp_path / "exchange", 1 << 20)
    made._known = ["orders"]
    return made


def ask(lab, digest, program):
    stored = StoredFrame(digest=digest, rows=1, columns=1, size=8)
    argument = Argument(parameter="tables", key="orders", frame=stored)
    return lab._answer(program, AskReference(arguments=(argument,)))


def test_a_stored_table_reaches_the_stand_in(lab):
    digest = lab._store.keep(FRAME).digest
    seen = []
    answer = ask(lab, digest, lambda tables: seen.extend(tables) or FRAME)
    assert isinstance(answer, ProgramReturned)
    assert [each.name for each in seen] == ["orders"]


@pytest.mark.parametrize("digest", ["../../refs/t/tables/orders", "x" * 64])
def test_a_name_that_is_no_digest_reaches_nothing(lab, digest):
    answer = ask(lab, digest, lambda tables: pytest.fail(f"read {tables}"))
    assert isinstance(answer, ProgramRaised)
    assert "the worker is not to be trusted" in answer.message


def test_inputs_a_worker_misnamed_are_no_inputs(lab, tmp_path):
    stored = StoredFrame(digest="../../refs/secret", rows=1, columns=1, size=8)
    run = SimpleNamespace(store=str(tmp_path / "exchange"))
    assert lab._tables(run, [Argument(parameter="tables", key="orders", frame=stored)]) is None
