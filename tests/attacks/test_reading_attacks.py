"""What a program in the sandbox can read, reach and change: nothing of what it should not."""

import pytest
from attack_arena import SECRET_VARIABLE, TOKEN

# Each gets the token where there is no sandbox, which proves that the attack is one.
READING = (
    "by_absolute_path",
    "by_relative_path",
    "by_walking_up",
    "by_link_in_temporary_folder",
    "by_link_beside_the_program",
    "by_what_spark_reads",
    "by_sql_on_files",
    "by_location_of_a_table",
    "by_a_function_on_another_process",
    "by_a_shell",
    "by_history_of_the_repository",
    "by_working_folders_of_processes",
    "by_root_of_processes",
    "hidden_obligations",
    "other_suites",
    "connect_out",
    "abstract_sockets",
)
# These depend on what else runs on the machine: only that they get nothing is checked.
LOOKING = (
    "by_searching_everything",
    "by_open_files_of_processes",
    "by_environment_of_processes",
    "by_arguments_of_processes",
    "by_memory_of_the_parent",
    "by_frames_of_callers",
    "by_settings_of_pytest",
    "by_all_objects",
)


@pytest.mark.parametrize("attack", READING)
def test_an_attack_that_gets_the_secret_outside_gets_nothing_in_the_sandbox(sealed, bare, attack):
    assert TOKEN in bare.run(attack)
    got = sealed.run(attack)
    assert TOKEN not in got
    assert "connected" not in got


@pytest.mark.parametrize("attack", LOOKING)
def test_looking_around_finds_no_secret_and_no_way_to_it(sealed, arena, attack):
    got = sealed.run(attack)
    assert TOKEN not in got
    assert str(arena.refs) not in got


def test_open_ones_of_a_tasks_obligations_are_shown(sealed):
    got = sealed.run("hidden_obligations")
    assert "keep ids" in got
    assert "hidden" not in got


def test_the_environment_is_cleared(sealed, bare):
    assert SECRET_VARIABLE in bare.run("secrets_of_the_environment")
    got = sealed.run("secrets_of_the_environment")
    assert "ATTACK_PASSWORD" not in got.replace("LOCKIN_ATTACK_PASSWORD", "")


@pytest.mark.parametrize("attack", ["by_the_installed_statements", "by_the_benchmark_in_duckdb"])
def test_the_installation_tells_no_reference(sealed, bare, attack):
    telling = "def solve" if "statements" in attack else "tpcds.duckdb_extension"
    assert telling in bare.run(attack)
    assert telling not in sealed.run(attack)


@pytest.mark.parametrize(
    "attack",
    [
        "write_beside_the_program",
        "write_to_the_plugin",
        "write_a_path_file",
        "write_a_sitecustomize",
        "write_kernel_settings",
    ],
)
def test_nothing_outside_can_be_written(sealed, attack):
    got = sealed.run(attack)
    assert "written" not in got
    assert "refused" in got


@pytest.mark.parametrize(
    "attack",
    [
        "mount_something",
        "new_user_namespace",
        "join_namespaces",
        "by_reading_another_process",
        "talk_to_the_hypervisor",
        "ask_for_names",
    ],
)
def test_the_kernel_refuses_the_ways_out(sealed, attack):
    assert "refused" in sealed.run(attack)


def test_the_controller_cannot_be_signalled(sealed):
    """Its process id means nothing inside; what can be seen is the sandbox's own few."""
    got = sealed.run("signal_the_controller")
    assert "ProcessLookupError" in got
    assert int(got.partition(" processes")[0].rpartition('"')[2]) < 10


def test_a_program_that_deletes_its_folders_deletes_nothing(sealed, arena):
    before = sorted(path.name for path in arena.attacker.iterdir() if path.name != "__pycache__")
    sealed.run("delete_the_working_folder")
    assert sorted(path.name for path in arena.attacker.iterdir() if path.name != "__pycache__") == before
    assert (arena.refs / "t" / "reference.sql").exists()


def test_set_uid_programs_gain_nothing(sealed):
    assert "uid=" not in sealed.run("gain_by_a_set_uid_program")


def test_everything_of_that_was_attested(sealed):
    sealed.run("hidden_obligations")
    isolation = sealed.shop.isolation()
    assert isolation.isolated
    assert {each.role for each in isolation.attestations} == {"program"}
    (seen,) = isolation.attestations
    assert dict(seen.namespaces).keys() == {"mnt", "pid", "net", "ipc", "uts", "user"}
    assert seen.capabilities == 0
    assert seen.filtered
