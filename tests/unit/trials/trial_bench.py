"""A workshop and trial workers for suites written into a folder: what the pipeline would give them."""

from __future__ import annotations

import json
import textwrap
from contextlib import contextmanager
from pathlib import Path

from pytest_lockin.model.suite import EntryPoint, Suite
from pytest_lockin.model.trial import Try
from pytest_lockin.settings import Settings
from pytest_lockin.suite.child import BLOCKED_PLUGINS
from pytest_lockin.suite.jobs import SuiteWorld, make_job
from pytest_lockin.suite.trial_worker import TrialWorker
from pytest_lockin.workshop import Workshop

SUITES = Path(__file__).parents[2] / "cases" / "suites"
LIMIT = 300.0
ENTRY = EntryPoint()


def write_suite(folder: Path, solution: str, tests: str, **files: str) -> Path:
    for name, text in {"solution": solution, "test_solution": tests, **files}.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return folder


@contextmanager
def open_workshop(folder: Path, engine: str = "sail"):
    workshop = Workshop(Settings(engine=engine), hidden=(), cwd=str(folder))
    try:
        yield workshop
    finally:
        workshop.close()


def make_world(folder: Path) -> SuiteWorld:
    ini = folder / "empty.ini"
    ini.write_text("[pytest]\n", encoding="utf-8")
    args = ["-c", str(ini), "--rootdir", str(folder)]
    for name in BLOCKED_PLUGINS:
        args += ["-p", f"no:{name}"]
    return SuiteWorld(root=str(folder), ini_file=str(ini), pytest_args=tuple(args), options_json="{}")


def make_suite(folder: Path, entry: EntryPoint = ENTRY) -> Suite:
    return Suite(
        id="test_solution.py", path=str(folder / "test_solution.py"), task_id="sample", entry_point=entry
    )


def open_worker(workshop, folder: Path, cases=(), engine: str = "sail", entry=ENTRY) -> TrialWorker:
    """A worker, prepared or refusing; `cases` are names of cases, all when empty."""
    spec = workshop.engine(engine)
    job = make_job(make_world(folder), make_suite(folder, entry), spec, workshop.store)
    return TrialWorker(workshop, job, [f"test_solution.py::{case}" for case in cases], limit=LIMIT)


@contextmanager
def prepared(folder: Path, cases=(), engine: str = "sail", entry=ENTRY):
    """A prepared worker on the suite in this folder."""
    with open_workshop(folder, engine) as workshop:
        worker = open_worker(workshop, folder, cases, engine, entry)
        found = worker.prepare()
        assert found.refusal == "", found.refusal
        yield worker
        worker.stop()


def try_edit(worker, folder: Path, before: str, after: str, *, module="solution", limit=LIMIT, **asked):
    """Try the program with one piece of text replaced."""
    source = folder.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
    assert source.count(before) == 1, f"{source.count(before)} x {before!r}"
    edited = source.replace(before, textwrap.dedent(after))
    return worker.try_one(Try(id=before, module=module, source=edited, **asked), limit)


def sample_verdicts() -> list[tuple[str, str, dict]]:
    """Every edit of the sample with its known verdict: (name, edited source, verdict)."""
    source = (SUITES / "sample" / "solution.py").read_text(encoding="utf-8")
    told = json.loads((SUITES / "sample" / "verdicts.json").read_text(encoding="utf-8"))
    found = []
    for edit in told["hand_written_edits"]:
        (minus,), (plus,) = edit["minus"], edit["plus"]
        found.append((edit["edit"], _replace_once(source, minus, plus), edit))
    for number, edit in enumerate(told["mutmut_3_8_1_mutants"]):
        found.append((f"mutmut {number}", _apply_hunk(source, edit["minus"], edit["plus"], number), edit))
    return found


def _replace_once(source: str, minus: str, plus: str) -> str:
    assert minus in source, minus
    return source.replace(minus, plus, 1)


def _apply_hunk(source: str, minus: list[str], plus: list[str], number: int) -> str:
    """The lines of a unified diff without their context; each removed run stands once in the source."""
    old = "".join(line[1:] + "\n" for line in minus)
    new = "".join(line[1:] + "\n" for line in plus)
    assert old in source, (number, old)
    return source.replace(old, new, 1)
