"""A token planted beside the references: that the check for it fires, wherever the token shows up."""

from pathlib import Path

import pytest
from attack_arena import Attacker

from pytest_lockin.model.messages import ProgramRaised, RunProgram
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.references.run import ProgramRunner


@pytest.fixture
def attacker(arena):
    made = Attacker(arena, "bwrap")
    yield made
    made.close()


def test_an_honest_run_leaks_nothing_although_references_ran(attacker):
    """The references' process has the token in its environment, and in each statement."""
    runner = ProgramRunner(attacker.shop, "sail", attacker.shop.folder / "references")
    answer = runner.run(RunProgram(kind="sql", text="SELECT 1 AS one"))
    assert not isinstance(answer, ProgramRaised)
    runner.close()
    attacker.run("by_environment_of_processes")
    assert attacker.shop.isolation().leaks == ()


def test_a_leak_into_a_message_is_seen(attacker):
    attacker.worker.ask(
        RunProgram(
            kind="python",
            text=attacker.shop.canary,
            folder=str(attacker.worker.scratch),
            entry_point=EntryPoint(module="nosuch"),
        ),
        60,
    )
    (leak,) = attacker.shop.isolation().leaks
    assert leak == "a message to a program process"
    assert not attacker.shop.isolation().isolated


def test_a_leak_into_what_a_program_writes_is_seen(attacker):
    (attacker.worker.scratch / "stolen.txt").write_text(f"-- {attacker.shop.canary}")
    leaks = attacker.shop.isolation().leaks
    assert [Path(leak.rpartition(" ")[2]).name for leak in leaks] == ["stolen.txt"]


def test_a_leak_into_the_environment_is_seen(attacker):
    attacker.shop._pool._sealed_environment["INHERITED"] = attacker.shop.canary
    attacker.ask("secrets_of_the_environment")
    assert "environ of a program process" in attacker.shop.isolation().leaks
