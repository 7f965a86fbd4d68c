"""The candidate's files in a trial worker: live modules, how one is swapped, what an edit reaches."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.suite.reach import Statements, takes_more
from pytest_lockin.suite.swap import Swapper

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import ModuleType

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.model.messages import SuiteJob
    from pytest_lockin.suite.replay import Input
    from pytest_lockin.suite.trial_cases import CaseRunner
    from pytest_lockin.suite.trial_known import Known


@dataclass(slots=True, kw_only=True)
class SourceFile:
    """One of the candidate's files: text, statements, and how to swap it.

    `stale` are bodies in which swapped code does not show, or which never run; the controls find them.
    """

    path: str
    text: str
    statements: Statements
    swapper: Swapper
    stale: list[range] = field(default_factory=list)

    def is_stale(self, edited: str) -> bool:
        """Whether an edited text changes anything that would not show when swapped in."""
        touched = self.statements.touched(edited)
        return any(line in body for body in self.stale for line in touched)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What may show an edit: inputs to replay, and cases that no replay can speak for."""

    inputs: tuple[Input, ...]
    cases: frozenset[str]

    def __bool__(self) -> bool:
        return bool(self.inputs or self.cases)

    def within(self, only: Collection[str]) -> Reach:
        """The part of it that these cases see; all of it where none is named."""
        if not only:
            return self
        inputs = tuple(each for each in self.inputs if set(each.cases) & set(only))
        return Reach(inputs=inputs, cases=self.cases & set(only))

    @property
    def all_cases(self) -> set[str]:
        """Every case that rests on one of the inputs, or that has to be run."""
        return {case for each in self.inputs for case in each.cases} | self.cases


class Program:
    """The candidate as it lives in this process: modules, sources, and the tests that read them."""

    def __init__(self, engine: Engine, job: SuiteJob, runner: CaseRunner, known: Known) -> None:
        self._engine = engine
        self._job = job
        self._runner = runner
        self._known = known
        self._files: dict[str, SourceFile] = {}
        self._modules: list[ModuleType] = []
        self._static_readers: tuple[str, ...] = ()

    # Modules.

    def settle(self) -> None:
        """Look modules and their readers up for good, once all cases have run clean.

        What is imported later is imported by none of them.
        """
        self._modules = self.modules()
        self._static_readers = self._find_static_readers()

    def modules(self) -> list[ModuleType]:
        """Modules of the suite's folder that are neither tests nor conftests, and the entry point's own."""
        if self._modules:
            return self._modules
        entry = sys.modules.get(self._job.entry_point.module)
        found = [m for m in self._local_modules() if not self._is_test(m)]
        if entry is not None and entry not in found and getattr(entry, "__file__", None):
            found.append(entry)
        return found

    def paths(self) -> list[str]:
        """Where the candidate's modules were read from."""
        return [str(module.__file__) for module in self.modules()]

    def texts(self) -> list[str]:
        """The texts of the candidate and of its tests, as they are on disk."""
        return [_read_module(module) for module in (*self.modules(), *self._test_modules())]

    def ship(self) -> None:
        """Let functions of the candidate and of the tests run in the engine's Python workers."""
        for module in (*self.modules(), *self._test_modules()):
            if sys.modules.get(module.__name__) is module:
                self._engine.ship_module(module)

    def _test_modules(self) -> list[ModuleType]:
        return [module for module in self._local_modules() if self._is_test(module)]

    def _is_test(self, module: ModuleType) -> bool:
        path = Path(str(module.__file__))
        return path == Path(self._job.path) or path.name == "conftest.py" or path.name.startswith("test_")

    def _local_modules(self) -> list[ModuleType]:
        folder = f"{Path(self._job.path).parent}/"
        items = [getattr(item, "module", None) for item in self._runner.items.values()]
        modules = {id(m): m for m in (*list(sys.modules.values()), *items) if m is not None}
        return [
            module
            for module in modules.values()
            if str(getattr(module, "__file__", None) or "").startswith(folder)
        ]

    def _find_static_readers(self) -> tuple[str, ...]:
        """Cases of test files that take more from the candidate than its entry point."""
        function = self._job.entry_point.function
        names = {module.__name__ for module in self.modules()}
        readers = [m for m in self._test_modules() if takes_more(_read_module(m), names, function)]
        if any(Path(str(m.__file__)).name == "conftest.py" for m in readers):
            return tuple(self._known.runs)
        found = {id(module) for module in readers}
        items = self._runner.items
        return tuple(c for c in self._known.runs if id(getattr(items[c], "module", None)) in found)

    # Sources.

    def sources(self) -> list[SourceFile]:
        """Every file of the candidate, once for each module that was made from it."""
        found = (self.source_of(module.__name__) for module in self.modules())
        return [source for source in found if source is not None]

    def source_of(self, name: str) -> SourceFile | None:
        """The file a module was imported from; None where it was not, or was imported from none."""
        module = sys.modules.get(name)
        path = str(getattr(module, "__file__", "") or "")
        if module is None or not path.endswith(".py"):
            return None
        if path not in self._files:
            self._files[path] = self._open_source(module, path)
        return self._files[path]

    def _open_source(self, module: ModuleType, path: str) -> SourceFile:
        text, local = _read(path), self._local_modules()
        twins = [module, *(m for m in local if m.__file__ == path and m is not module)]
        readers = [m for m in local if m.__file__ != path]
        swapper = Swapper(twins, text, readers)
        return SourceFile(path=path, text=text, statements=Statements(text), swapper=swapper)

    def swap(self, source: SourceFile, text: str) -> None:
        """Put text in place; it is executed as the original was: with or without a session to see.

        Raises:
            Misfit: it cannot be swapped in.
            ImportRaised: executing it raised.
        """
        if self._known.imported_hidden:
            self._engine.hide()
        try:
            source.swapper.swap(text)
        finally:
            self._engine.session()
        self._refresh()

    def restore(self, source: SourceFile) -> None:
        """Have the original in place again."""
        source.swapper.restore()
        self._refresh()

    def _refresh(self) -> None:
        for module in self.modules():
            self._engine.refresh_module(module)

    # Reach.

    def reach(self, source: SourceFile, edited: str) -> Reach:
        """Inputs whose replay runs what was changed, and cases that run it past the entry point."""
        lines = source.statements.touched(edited)
        touched = {(source.path, line) for line in lines}
        everywhere = self._runs_untraced(source, lines)
        inputs = [each for each in self._known.inputs if everywhere or each.lines & touched]
        outside = {case: run.outside for case, run in self._known.runs.items()}
        cases = {case for case, ran in outside.items() if ran & touched}
        if everywhere:
            cases |= {case for case, ran in outside.items() if ran}
            cases |= set(self._static_readers)
        for each in inputs:
            if not each.replayable:
                cases |= set(each.cases)
        return Reach(inputs=tuple(inputs), cases=frozenset(cases))

    def _runs_untraced(self, source: SourceFile, lines: Collection[int]) -> bool:
        """Whether these lines run at import, or where no trace sees them: then anything may have met them."""
        return source.statements.at_import(lines) or any(
            line in body for body in self.unseen(source) for line in lines
        )

    def unseen(self, source: SourceFile) -> tuple[range, ...]:
        """Bodies that may run where no trace sees them, and were not seen in the clean runs."""
        return source.statements.unseen(self._known.executed_in(source.path))


def _read_module(module: ModuleType) -> str:
    return _read(str(module.__file__))


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


__all__ = ["Program", "Reach", "SourceFile"]
