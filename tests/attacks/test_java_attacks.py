"""Classic Spark: what a program can do through its JVM, which is no more than it can do itself."""

import pytest
from attack_arena import TOKEN, Attacker

from pytest_lockin.errors import WorkerError
from pytest_lockin.model.messages import ProgramRaised

pytestmark = pytest.mark.spark

ATTACKS = (
    "by_java",
    "by_a_process_of_java",
    "by_a_connection_of_java",
    "by_what_spark_reads",
    "by_sql_on_files",
    "by_loading",
    "by_adding_a_file",
    "by_a_function",
)


def run_all(arena, sandbox):
    """What each attack got, in one JVM."""
    attacker = Attacker(arena, sandbox, engine="spark")
    try:
        return {
            name: attacker.run(name, module="through_java") for name in ATTACKS
        }, attacker.shop.isolation()
    finally:
        attacker.close()


@pytest.fixture(scope="module")
def sealed(arena):
    return run_all(arena, "bwrap")


@pytest.fixture(scope="module")
def bare(arena):
    return run_all(arena, "none")


@pytest.mark.parametrize("attack", ATTACKS)
def test_java_gets_the_secret_outside_and_nothing_in_the_sandbox(sealed, bare, attack):
    assert TOKEN in bare[0][attack]
    assert TOKEN not in sealed[0][attack]
    # A table over a folder that is not there is empty.
    assert "refused" in sealed[0][attack] or '"[]"' in sealed[0][attack]


def test_the_jvm_was_attested_and_shares_its_network_with_its_workers_only(sealed):
    isolation = sealed[1]
    assert isolation.isolated
    networks = {each.role: dict(each.namespaces)["net"] for each in isolation.attestations}
    assert networks["jvm"] == networks["program"]
    mounts = {each.role: dict(each.namespaces)["mnt"] for each in isolation.attestations}
    assert mounts["jvm"] != mounts["program"]


def test_a_jvm_that_a_program_ends_is_replaced(arena):
    attacker = Attacker(arena, "bwrap", engine="spark")
    try:
        try:
            answer = attacker.ask("ending_the_jvm", module="through_java")
        except WorkerError:
            pass
        else:
            assert isinstance(answer, ProgramRaised)
        attacker.worker.kill()
        assert "refused" in attacker.run("by_java", module="through_java")
        assert attacker.shop._jvms.restarts == 1
    finally:
        attacker.close()
