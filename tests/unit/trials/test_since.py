import subprocess

import pytest
from results import mutant

from pytest_lockin.errors import RevisionError
from pytest_lockin.trials.since import changed_files, changed_lines, grow_to_functions, read_hunks, since

SOURCE = """LIMIT = 1


def one():
    x = 1
    return x


def two():
    y = 2
    return y
"""


@pytest.fixture
def repo(tmp_path):
    def git(*args):
        subprocess.run(["git", "-C", str(tmp_path), *args], check=True, capture_output=True)

    git("init", "-q")
    git("config", "user.email", "a@example.org")
    git("config", "user.name", "a")
    path = tmp_path / "solution.py"
    path.write_text(SOURCE)
    git("add", "solution.py")
    git("commit", "-qm", "one")
    return path


def test_an_untouched_file_has_no_changed_lines(repo):
    assert changed_lines(repo, "HEAD") == frozenset()


def test_only_the_function_of_a_changed_line_is_tried(repo):
    edited = SOURCE.replace("y = 2", "y = 3")
    repo.write_text(edited)
    lines = changed_lines(repo, "HEAD")
    assert lines == {10}
    made = [mutant("limit", line=1), mutant("one", line=5), mutant("two", line=11)]
    assert [each.id for each in since(made, edited, lines)] == ["two"]


def test_a_file_that_git_does_not_know_is_tried_whole(repo):
    other = repo.with_name("other.py")
    other.write_text(SOURCE)
    assert changed_lines(other, "HEAD") is None
    made = [mutant("limit", line=1), mutant("one", line=5)]
    assert since(made, SOURCE, None) == tuple(made)


def test_a_deleted_line_marks_the_function_it_stood_in():
    assert read_hunks("@@ -5 +4,0 @@ def one():\n") == {4, 5}
    assert grow_to_functions(SOURCE, {5}) == {4, 5, 6}


@pytest.mark.parametrize("revision", ["no-such-branch", "--help"])
def test_an_unknown_revision_is_told(repo, revision):
    with pytest.raises(RevisionError, match="git revision"):
        changed_lines(repo, revision)


def test_a_folder_without_git_is_told(tmp_path):
    path = tmp_path / "solution.py"
    path.write_text(SOURCE)
    with pytest.raises(RevisionError):
        changed_lines(path, "HEAD")


def test_changed_files_are_edited_new_and_gone_ones(repo):
    folder = repo.parent
    assert changed_files(folder, "HEAD") == frozenset()
    (folder / "new").mkdir()
    (folder / "new" / "näh er.py").write_text("")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "a.log").write_text("")
    repo.unlink()
    names = {str(path.relative_to(folder)) for path in changed_files(folder, "HEAD")}
    assert names == {"new/näh er.py", ".gitignore", "solution.py"}
    assert changed_files(folder / "new", "HEAD") == {folder / "new" / "näh er.py"}
    with pytest.raises(RevisionError):
        changed_files(folder, "--output=x")
