"""Requests and replies between the controller and a worker; plain values, Arrow by content hash."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_lockin.model.suite import Argument, Case, EntryPoint, Observation, StoredFrame
from pytest_lockin.model.trial import TRIAL_MESSAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSpec:
    """Which engine a worker starts, and with what (the fields of `EngineOptions`).

    `implementation` is the dotted name of an engine that another plugin adds; "" for our own.
    """

    name: str
    implementation: str = ""
    conf: tuple[tuple[str, str], ...] = ()
    partitions: int = 1
    url: str = ""
    gateway_port: int = 0
    gateway_secret: str = ""
    aids: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """First message to every worker: what to run, and the world it runs in.

    Attributes:
        handler: dotted name of the function that takes over (`module:function`).
        scratch: the worker's own folder.
        sys_path: entries to add at the end of the import path.
    """

    handler: str
    scratch: str
    sys_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSpec:
    """How the worker measures coverage: settings of the controller's own measurement as JSON text."""

    config_file: str
    settings_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteJob:
    """Collect a suite and run its cases on request.

    Attributes:
        store: folder for observed tables, by content hash.
        root: pytest's root folder; `ini_file` its settings file or "".
        pytest_args: explicit arguments; nothing else reaches the worker's pytest.
        options_json: the controller's plain option values, applied where the worker knows the option.
        ini_keys, markers: names the controller's pytest knows; those of plugins that are off in the worker
            are known there too.
        observe: "all" records inputs and outputs, "outputs" only outputs, "none" nothing; "trials" serves
            trials too (`Prepare`, `Try`, `Probe`).
        byte_cap: tables larger than this are not stored, in bytes.
        stub: the entry point asks the controller for its result (fidelity) instead of running.
        sources: (path, text) pairs: source text imported in place of these files, which are not touched.
    """

    suite_id: str
    path: str
    entry_point: EntryPoint
    engine: EngineSpec
    store: str
    root: str
    ini_file: str = ""
    pytest_args: tuple[str, ...] = ()
    options_json: str = "{}"
    ini_keys: tuple[str, ...] = ()
    markers: tuple[str, ...] = ()
    observe: str = "all"
    byte_cap: int = 64_000_000
    stub: bool = False
    coverage: CoverageSpec | None = None
    sources: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A warning recorded in the worker's pytest, to be recorded again in the controller's."""

    message: str
    category: str
    when: str
    case_id: str
    filename: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What the worker's pytest collected; failed collections as serialised reports (JSON text)."""

    cases: tuple[Case, ...]
    reports: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    engine_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPhase:
    """Run one phase (`setup`, `call`, `teardown`) of a case; `next_case` matters at teardown only."""

    case_id: str
    when: str
    next_case: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseDone:
    """A phase ended: its report, reports of its sub-tests, warnings, and the calls it made.

    `used` lists the numbers of all observations that belong to the case so far, those of the fixtures it
    uses included; `observations` only the new ones.
    """

    report: str
    extra_reports: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    observations: tuple[Observation, ...] = ()
    used: tuple[int, ...] = ()
    needs: tuple[str, ...] = ()
    static_conf: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """Tear down what is still set up and end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """The worker is done: coverage data (JSON), warnings of the last teardown."""

    coverage: bytes = b""
    warnings: tuple[Warned, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The handler could not go on: one line for the user, and the traceback for the log."""

    reason: str
    slug: str = "worker"
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskReference:
    """From a stubbed entry point: these are the input tables; what does the reference return for them?"""

    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramJob:
    """Run programs on tables, on request, in one engine.

    Attributes:
        store: folder for what they return.
        trusted: references, which run outside the sandbox and see what the user sees.
        visible: for candidates: the folder of the program first, then folders of tables.
    """

    engine: EngineSpec
    store: str
    trusted: bool = False
    visible: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """An input table: a Parquet file or folder, or a stored frame's file (`.arrow`)."""

    name: str
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgram:
    """Run one program on tables and store what it returns.

    Attributes:
        kind: `sql` (text given) or `python` (module at `path`, its entry point called).
        shuffled: rows of every input are shuffled and repartitioned first (seeded; vetting).
        schemas: by table its columns as (name, Spark type); columns an input lacks are added as typed NULLs,
            missing tables as empty ones (fidelity).
    """

    kind: str
    text: str = ""
    path: str = ""
    folder: str = ""
    entry_point: EntryPoint = field(default_factory=EntryPoint)
    tables: tuple[TableFile, ...] = ()
    shuffled: bool = False
    schemas: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramReturned:
    """What the program returned: stored tables by part name, and the input columns completed with NULLs."""

    parts: tuple[tuple[str, StoredFrame], ...]
    completed: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRaised:
    """The program raised (or its output did), or returned no DataFrame (`type` is then the type returned)."""

    type: str
    message: str
    returned: bool = False
    needs: tuple[str, ...] = ()


MESSAGES: tuple[type, ...] = (
    Start,
    SuiteJob,
    Collected,
    RunPhase,
    PhaseDone,
    Finish,
    Finished,
    Failed,
    AskReference,
    ProgramJob,
    RunProgram,
    ProgramReturned,
    ProgramRaised,
    *TRIAL_MESSAGES,
)
