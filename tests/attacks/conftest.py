import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pytest_lockin.workers.sandbox.bwrap import find_bubblewrap, try_bubblewrap

HERE = Path(__file__).parent
# A small project to run pytest in is of use here, too.
sys.path.append(str(HERE.parent / "plugin"))
sys.path.append(str(HERE))

from attack_arena import TOKEN, Arena, Attacker, listen  # noqa: E402 - found by the line above


def pytest_collection_modifyitems(items):
    """Without bubblewrap nothing here means anything; on CI that is a failure, not a reason to skip."""
    found = find_bubblewrap()
    trouble = try_bubblewrap(found) if found else "not installed"
    if not trouble or os.environ.get("CI"):
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=f"bubblewrap: {trouble}"))


@pytest.fixture(scope="session")
def arena(tmp_path_factory):
    root = tmp_path_factory.mktemp("arena").resolve()
    listening, abstract = listen(root)
    made = Arena(root=root, port=listening.getsockname()[1], abstract=abstract)
    secret = made.refs / "t"
    secret.mkdir(parents=True)
    (secret / "reference.sql").write_text(f"SELECT id FROM orders -- {TOKEN}\n")
    pq.write_table(pa.table({"secret": [TOKEN]}), secret / "secret.parquet")
    made.attacker.mkdir(parents=True)
    marks = {
        "@REFS@": str(made.refs),
        "@CONTROLLER@": str(os.getpid()),
        "@PORT@": str(made.port),
        "@ABSTRACT@": abstract,
        "@ROOT@": str(root),
    }
    for program in (HERE / "programs").glob("*.py"):
        text = program.read_text()
        for mark, value in marks.items():
            text = text.replace(mark, value)
        (made.attacker / program.name).write_text(text)
    (made.attacker / "test_solution.py").write_text("def test_it():\n    pass\n")
    (made.attacker / "leading_out.sql").symlink_to(secret / "reference.sql")
    (made.attacker / "task.yaml").write_text(
        "id: t\nobligations:\n"
        "  - {id: O1, source: prompt, text: keep ids}\n"
        f"  - {{id: O2, source: hidden, text: {TOKEN}}}\n"
    )
    other = root / "suites" / "t-other"
    other.mkdir()
    (other / "solution.py").write_text(f"# {TOKEN}\n")
    (other / "test_solution.py").write_text("")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", "-C", str(root), *command], check=True, capture_output=True)
    # Whoever runs pytest has a shell in the project's folder.
    with subprocess.Popen(["sleep", "3600"], cwd=root) as shell:
        yield made
        shell.kill()
    listening.close()


@pytest.fixture(scope="module")
def sealed(arena):
    """An attacker in the sandbox."""
    made = Attacker(arena, "bwrap")
    yield made
    made.close()


@pytest.fixture(scope="module")
def bare(arena):
    """The same attacker without one: an attack that gets nothing there proves nothing here."""
    made = Attacker(arena, "none")
    yield made
    made.close()
