"""Which files are suites, and of which task: from paths alone."""

import pytest

from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.settings import Settings
from pytest_lockin.suite.find import SuiteFinder
from pytest_lockin.taskbank.loader import load_task


@pytest.fixture
def tree(tmp_path):
    def make(*paths, **texts):
        for path in paths:
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")
        return tmp_path

    return make


def find(root, path, **settings):
    finder = SuiteFinder(Settings(**settings), root, load_task)
    return finder.suite_at(root / path), finder


def test_a_file_below_a_task_file_is_a_suite_of_that_task(tree):
    root = tree("deep/down/here/test_solution.py")
    (root / "deep/task.yaml").write_text("id: q77\nentry_point: jobs.daily:run\n")
    suite, _ = find(root, "deep/down/here/test_solution.py")
    assert (suite.id, suite.task_id) == ("deep/down/here/test_solution.py", "q77")
    assert suite.entry_point == EntryPoint(module="jobs.daily", function="run")
    assert suite.task_file == str(root / "deep/task.yaml")


def test_the_nearest_task_file_counts(tree):
    root = tree("a/b/test_solution.py")
    (root / "task.yaml").write_text("id: far\n")
    (root / "a/task.yaml").write_text("id: near\n")
    assert find(root, "a/b/test_solution.py")[0].task_id == "near"


def test_the_file_of_a_task_that_the_settings_name_lies_in_tasks(tree):
    """Tests of several programs share a folder, and no `task.yaml` above it can be that of all of them."""
    root = tree("tests/test_late.py", "tests/test_soon.py")
    (root / "task.yaml").write_text("id: near\n")
    (root / "tasks/late").mkdir(parents=True)
    (root / "tasks/late/task.yaml").write_text("id: late\nentry_point: jobs.daily:run\n")
    settings = {"suites": ("test_*.py",), "tasks": (("tests/test_late.py", "late"), ("tests/*", "soon"))}
    suite, finder = find(root, "tests/test_late.py", **settings)
    assert (suite.task_id, suite.task_file) == ("late", str(root / "tasks/late/task.yaml"))
    assert suite.entry_point == EntryPoint(module="jobs.daily", function="run")
    other = finder.suite_at(root / "tests/test_soon.py")
    assert (other.task_id, other.task_file) == ("soon", str(root / "task.yaml"))


@pytest.mark.parametrize(
    ("folder", "task"),
    [
        ("q03", "q03"),
        ("q03-misread", "q03"),
        ("q14a-terse-two", "q14a"),
        ("q36-2", "q36-2"),
        ("Q03", None),
        ("q3", None),
    ],
)
def test_without_a_task_file_the_folder_names_the_task(tree, folder, task):
    """The whole name first, then the part before the first dash; the references say which tasks there are."""
    root = tree(f"s/{folder}/test_solution.py", "refs/q03/x", "refs/q14a/x", "refs/q36/x", "refs/q36-2/x")
    suite, finder = find(root, f"s/{folder}/test_solution.py", reference=str(root / "refs"))
    assert (suite and suite.task_id) == task
    assert finder.without_task == ([] if task else [f"s/{folder}/test_solution.py"])


def test_a_file_in_the_references_root_itself_is_no_task(tree):
    root = tree("s/-x/test_solution.py", "refs/q03/x")
    assert find(root, "s/-x/test_solution.py", reference=str(root / "refs"))[0] is None


def test_ini_lines_override_task_and_entry_point(tree):
    root = tree("s/one/test_solution.py", "s/two/test_solution.py")
    (root / "task.yaml").write_text("id: any\n")
    settings = {
        "tasks": (("s/o*", "q01"), ("s/two/test_solution.py", "q02")),
        "entry_points": (("s/one/", EntryPoint(module="program", function="build")),),
    }
    one, _ = find(root, "s/one/test_solution.py", **settings)
    two, _ = find(root, "s/two/test_solution.py", **settings)
    assert (one.task_id, two.task_id) == ("q01", "q02")
    assert (str(one.entry_point), str(two.entry_point)) == ("program:build", "solution:solve")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("test_solution.py", "a/test_solution.py", True),
        ("test_solution.py", "a/test_solutions.py", False),
        ("check_*.py", "a/check_it.py", True),
        ("gen/*/test_*.py", "gen/x/test_y.py", True),
        ("gen/*/test_*.py", "other/x/test_y.py", False),
    ],
)
def test_patterns_are_of_names_or_of_paths(tree, pattern, path, matches):
    root = tree(path)
    (root / "task.yaml").write_text("id: any\n")
    suite, finder = find(root, path, suites=(pattern,))
    assert (suite is not None) is matches
    assert finder.without_task == []


def test_a_task_file_that_cannot_be_read_leaves_the_suite_and_the_reason(tree):
    root = tree("q03/test_solution.py")
    (root / "q03/task.yaml").write_text("id: [\n")
    suite, finder = find(root, "q03/test_solution.py")
    assert suite.task_id == "q03"
    assert "task.yaml" in finder.task_errors["q03/test_solution.py"].one_line


def test_outside_the_root_a_suite_has_its_full_path_as_id(tree):
    root = tree("elsewhere/q03/test_solution.py", "root/x")
    (root / "elsewhere/q03/task.yaml").write_text("id: q03\n")
    finder = SuiteFinder(Settings(), root / "root", load_task)
    path = root / "elsewhere/q03/test_solution.py"
    assert finder.suite_at(path).id == path.as_posix()


def test_files_in_and_below_a_suites_folder_are_known_as_such(tree):
    root = tree("s/q03/test_solution.py", "s/q03/below/conftest.py", "s/conftest.py", "conftest.py")
    (root / "s/q03/task.yaml").write_text("id: q03\n")
    finder = SuiteFinder(Settings(), root, load_task)
    assert finder.in_suite_folder(root / "s/q03/conftest.py")
    assert finder.in_suite_folder(root / "s/q03/below/conftest.py")
    assert not finder.in_suite_folder(root / "s/conftest.py")
    assert not finder.in_suite_folder(root / "conftest.py")
