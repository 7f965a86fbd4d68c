"""A project with a secret, and an attacker that runs programs against it."""

import json
import os
import socket
import threading
from dataclasses import dataclass
from pathlib import Path

from pytest_lockin.engines.serve import HANDLER
from pytest_lockin.frames.keep import FrameStore
from pytest_lockin.model.messages import ProgramJob, ProgramRaised, RunProgram
from pytest_lockin.model.suite import EntryPoint
from pytest_lockin.settings import Settings
from pytest_lockin.workshop import Workshop

TOKEN = "CANARY-5f1d9b6c2a"
SECRET_VARIABLE = "ENVIRONMENT-CANARY"


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


def listen(root):
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

    def run(self, name, module="reading"):
        answer = self.ask(name, module=module)
        if isinstance(answer, ProgramRaised):
            return f"raised {answer.type}: {answer.message}"
        frame = FrameStore(self.store, 0).load(answer.parts[0][1])
        return json.dumps(frame.table.to_pylist(), default=str)

    def close(self):
        self.shop.close()
        os.environ.pop("ATTACK_PASSWORD", None)
        os.environ.pop("LOCKIN_ATTACK_PASSWORD", None)
