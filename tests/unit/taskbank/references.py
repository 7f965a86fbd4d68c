"""Answers of references, made by `answer_child.py` in a process of its own and read back as panel members."""

import subprocess
import sys
from pathlib import Path

from pytest_lockin.errors import UnfitReferenceError
from pytest_lockin.frames.store import read_frame
from pytest_lockin.taskbank.panel import Member

HERE = Path(__file__).parent
PACKAGES = ("duckdb", "duckdb-extension-tpcds", "pysail", "pyspark", "sqlglot")


def run_child(engine, folder, out, tasks=(), timeout=600):
    """Answer every task; a child that dies is an error here, a task that fails is one when it is read."""
    command = [sys.executable, str(HERE / "answer_child.py"), engine, str(folder), str(out), *tasks]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    assert run.returncode == 0, run.stderr[-3000:]


def read_answer(out, task, kind):
    folder = Path(out) / task.replace("/", "_")
    error = folder / f"{kind}.error"
    if error.is_file():
        raise UnfitReferenceError(
            expected=f"{kind} to answer {task}", found=error.read_text(), hint="run it on the engine"
        )
    return read_frame(folder / f"{kind}.arrow")


def stored_members(engine, out):
    """Give the two references on an engine as members, from the answers that `run_child` left."""
    own = "" if engine == "spark" else f"{engine}-"
    names = {"sql": f"{engine}-sql", "dataframe": f"{own}dataframe"}
    return tuple(
        Member(name=name, engine=engine, answer=lambda task, kind=kind: read_answer(out, task, kind))
        for kind, name in names.items()
    )
