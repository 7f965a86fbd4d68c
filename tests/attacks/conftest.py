import json
import os
import shutil
import socket
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pytest_lockin.engines.serve import HANDLER
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import ProgramJob, ProgramRaised, RunProgram
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.settings import Settings
from pytest_lockin.workers.sandbox.bwrap import find_bubblewrap, try_bubblewrap
from pytest_lockin.workshop import Workshop

HERE = Path(__file__).parent
TOKEN = "CANARY-5f1d9b6c2a"
SECRET_VARIABLE = "ENVIRONMENT-CANARY"


def pytest_collection_modifyitems(items):
    """Without bubblewrap nothing here means anything; on CI that is a failure, not a reason to skip."""
    found = find_bubblewrap()
    trouble = try_bubblewrap(found) if found else "not installed"
    if not trouble or os.environ.get("CI"):
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=f"bubblewrap: {trouble}"))


@dataclass
class Arena:
    """A project with references that hold a token, and two candidates of which one is an attacker."""

    root: Path
    port: int
    abstract: str

    @property
    def refs(self):
        return self.root / "refs"

    @property
    def attacker(self):
        return self.root / "suites" / "t-attacker"


@pytest.fixture(scope="session")
def arena(tmp_path_factory):
    root = tmp_path_factory.mktemp("arena").resolve()
    listening, abstract = _listen(root)
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


def _listen(root):
    """A server on the host's loopback and one on an abstract address, both telling the token."""
    tcp, unix = socket.socket(), socket.socket(socket.AF_UNIX)
    tcp.bind(("127.0.0.1", 0))
    abstract = f"lockin-attack-{os.getpid()}"
    unix.bind(f"\0{abstract}")

    def serve(server):
        server.listen()
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.sendall(TOKEN.encode())

    for server in (tcp, unix):
        threading.Thread(target=serve, args=(server,), daemon=True).start()
    return tcp, abstract


class Attacker:
    """Runs one attack after another in one worker; the answer is what the attack got, as text."""

    def __init__(self, arena, sandbox, engine="sail"):
        self._arena = arena
        os.environ["LOCKIN_ATTACK_PASSWORD"] = os.environ["ATTACK_PASSWORD"] = SECRET_VARIABLE
        settings = Settings(engine=engine, sandbox=sandbox)
        self.shop = Workshop(settings, hidden=(str(arena.refs),), cwd=str(arena.root))
        self.store = self.shop.folder / "attacks"
        self._engine = engine
        self._worker = None
        self.started = []

    @property
    def worker(self):
        if self._worker is None or not self._worker.alive:
            job = ProgramJob(
                engine=self.shop.engine(self._engine),
                store=str(self.store),
                visible=(str(self._arena.attacker),),
            )
            self._worker = self.shop.worker(HANDLER, job)
            self.started.append(self._worker)
        return self._worker

    def ask(self, name, limit=120.0, module="reading"):
        request = RunProgram(
            kind="python",
            folder=str(self._arena.attacker),
            entry_point=EntryPoint(module=module, function=name),
        )
        return self.worker.ask(request, limit)

    def run(self, name):
        answer = self.ask(name)
        if isinstance(answer, ProgramRaised):
            return f"raised {answer.type}: {answer.message}"
        frame = FrameStore(self.store, 0).load(answer.parts[0][1])
        return json.dumps(frame.table.to_pylist(), default=str)

    def close(self):
        self.shop.close()
        os.environ.pop("ATTACK_PASSWORD", None)
        os.environ.pop("LOCKIN_ATTACK_PASSWORD", None)


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


@pytest.fixture
def scratch_copy(arena, tmp_path):
    """A copy of the arena for what breaks it."""
    shutil.copytree(arena.root, tmp_path / "arena", symlinks=True)
    return tmp_path / "arena"
