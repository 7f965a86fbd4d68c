"""A suite under examination: its cases, what they observed, how they ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPoint:
    """The function a suite exercises: `module` as the tests import it, `function` in it."""

    module: str = "solution"
    function: str = "solve"

    def __str__(self) -> str:
        return f"{self.module}:{self.function}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One generated test file and the program it was written for; known from paths alone.

    Attributes:
        id: path of the test file from the root folder, with `/`.
        path: absolute path of the test file.
        task_id: the task it was written for.
        task_file: absolute path of its `task.yaml`, or "".
        entry_point: the function under test.
    """

    id: str
    path: str
    task_id: str
    task_file: str = ""
    entry_point: EntryPoint = EntryPoint()

    @property
    def folder(self) -> str:
        """Absolute path of the suite's folder."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkData:
    """A pytest mark that is plain data: name, positional and keyword arguments as JSON text."""

    name: str
    args_json: str = "[]"
    kwargs_json: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One pytest item of a suite, as the worker collected it.

    Attributes:
        id: pytest's node id, from the root folder.
        names: names below the test file: classes, then the function with its parameters in brackets.
        line: line of the function, from 0; -1 where unknown.
        domain: the dotted name pytest prints in a failure's heading.
        path: file of that line, from the root folder.
        fixtures: names of the fixtures it asks for.
    """

    id: str
    names: tuple[str, ...]
    line: int = -1
    domain: str = ""
    path: str = ""
    marks: tuple[MarkData, ...] = ()
    keywords: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFrame:
    """A table on disk under the hash of its content (SHA-256, hex).

    `kept` is False over the byte cap, or for lack of room.
    """

    digest: str
    rows: int
    columns: int
    size: int
    kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One table handed to the entry point: parameter name, key (for a mapping of tables, else ""), table."""

    parameter: str
    key: str
    frame: StoredFrame

    @property
    def table(self) -> str:
        """The table's name: its key in the mapping, or the parameter that carried it."""
        return self.key or self.parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """The call returned DataFrames: one under the name "", or the parts of a tuple or dict by name."""

    parts: tuple[tuple[str, StoredFrame], ...]


class RaisedAt(StrEnum):
    """Where a call failed: in the call itself, or when its output was materialised (Connect is lazy)."""

    CALL = "call"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """The call raised, or materialising its output did."""

    type: str
    message: str
    at: RaisedAt


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedOther:
    """The call returned something that holds no DataFrame; `type` is its type's name."""

    type: str


CallOutcome = Returned | Raised | ReturnedOther


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One recorded call of the entry point.

    `place` is where it was made: `import`, `fixture`, `setup`, `call` or `teardown`. `fixture` names the
    fixture for calls made in one; such a call belongs to every case that uses it. `others` is what it was
    given besides tables, as text; `?` in it stands for something that has no text of its own.
    """

    number: int
    place: str
    fixture: str
    arguments: tuple[Argument, ...]
    outcome: CallOutcome
    others: str = ""


class Outcome(StrEnum):
    """How a case ended; pytest's words."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """How one case ended on one engine, which calls it saw, and the first line of what went wrong."""

    case_id: str
    outcome: Outcome
    engine: str
    observations: tuple[int, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """One whole run of a suite in one worker.

    Attributes:
        engine: `sail`, `spark` or `connect`.
        collected: number of cases collected.
        cases: how each case that ran ended.
        observations: the calls recorded, by number.
        errors: collection and harness errors, one line each; not empty means that nothing can be concluded.
        needs: what the suite asked for that this engine lacks.
        static_conf: conf among it that a JVM must be started with (jars, extensions, catalogs).
        store: folder of the observed tables.
    """

    suite_id: str
    engine: str
    engine_version: str = ""
    collected: int = 0
    cases: tuple[CaseRun, ...] = ()
    observations: tuple[Observation, ...] = ()
    errors: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    static_conf: tuple[tuple[str, str], ...] = ()
    store: str = ""

    def outcome_of(self, case_id: str) -> Outcome | None:
        """How the case ended here, or None when it did not run."""
        return next((run.outcome for run in self.cases if run.case_id == case_id), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveResult:
    """What the ordinary pytest run said about one suite.

    Attributes:
        told: how each case ended, as pytest was told; its order is the order of the run.
        case_ids: every case collected, whether it was selected or not.
        runs: what each worker saw, the observations among it.
        engine: the engine whose word counts; `moved` says why it is not the one that looked first.
        trouble: harness failures, one line each.
        meant: (case, obligation) for each obligation that a case is marked to check.
    """

    suite: Suite
    told: tuple[CaseRun, ...] = ()
    case_ids: tuple[str, ...] = ()
    runs: tuple[SuiteRun, ...] = ()
    engine: str = ""
    moved: str = ""
    trouble: tuple[str, ...] = ()
    meant: tuple[tuple[str, str], ...] = ()

    @property
    def static_conf(self) -> tuple[tuple[str, str], ...]:
        """Conf a JVM for this suite must be started with."""
        return next((run.static_conf for run in self.runs if run.static_conf), ())

    @property
    def partial(self) -> bool:
        """Whether some collected case was not run (deselected, or the run was stopped)."""
        ran = {run.case_id for run in self.told}
        return any(case_id not in ran for case_id in self.case_ids)

    @property
    def observed_calls(self) -> int:
        """How many calls were recorded on the engine whose word counts, in all workers that ran the suite."""
        return sum(len(run.observations) for run in self.runs if run.engine == self.engine)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """The calls recorded by the last run that recorded any."""
        return next((run.observations for run in reversed(self.runs) if run.observations), ())
