"""What a candidate got wrong, which obligation that breaks, and why no test noticed: the whole of it.

Puts together what `alternatives`, `obligations`, `references` and `suite` bring; has no rule of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_lockin.alternatives import make_variants
from pytest_lockin.errors import LockinError
from pytest_lockin.fixturegen.tables import keep_tables
from pytest_lockin.laboratory import SuiteLab
from pytest_lockin.obligations.diagnose import Found, Suspect, diagnose
from pytest_lockin.obligations.edits import read_variant, render
from pytest_lockin.obligations.findings import Seen, conclude_findings, count_alternatives
from pytest_lockin.obligations.gather import Prober, list_violations
from pytest_lockin.obligations.link import Linker
from pytest_lockin.obligations.misreading import make_misreadings
from pytest_lockin.references.order import read_ending
from pytest_lockin.references.vet import tables_for
from pytest_lockin.reports.words import count
from pytest_lockin.taskbank.loader import load_hidden_obligations
from pytest_lockin.trying import find_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.judging import Bench, Frozen
    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.model.baseline import Baseline
    from pytest_lockin.model.finding import CaseEvidence, Counted, Diagnosis, ObligationFinding
    from pytest_lockin.model.messages import TableFile
    from pytest_lockin.model.report import TaskReport
    from pytest_lockin.model.task import Obligation, Task
    from pytest_lockin.model.trial import TrialSummary
    from pytest_lockin.obligations.gather import Violation
    from pytest_lockin.references.load import Panel, Reference
    from pytest_lockin.references.vet import Vetted

    Tables = tuple[TableFile, ...]

_PLAN = "plan.md"
_DATA = "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One suite whose candidate was judged.

    Attributes:
        vetted: the panel on the engine the suite runs on.
        witness: rows on which the candidate is wrong, in words; "" where none are known.
        trials: what was tried, with the mutants it was made of; None where nothing was.
    """

    bench: Bench
    baseline: Baseline
    task: Task | None
    vetted: Vetted
    frozen: Frozen | None = None
    trials: TrialSummary | None = None
    mutants: tuple[Mutant, ...] = ()
    witness: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The diagnosis, each obligation's finding, and what a reader should know besides."""

    diagnosis: Diagnosis | None = None
    findings: tuple[ObligationFinding, ...] = ()
    notes: tuple[str, ...] = ()


def report_diagnosis(report: TaskReport, question: Question) -> TaskReport:
    """Add to a suite's report what the candidate got wrong and why no test noticed."""
    answered = diagnose_suite(question)
    return replace(
        report,
        obligations=answered.findings,
        diagnosis=answered.diagnosis,
        notes=(*report.notes, *answered.notes),
    )


def diagnose_suite(question: Question) -> Answered:
    """Explain the candidate by variants of the reference's statement, and the tests by what they let pass.

    Without obligations there is nothing to explain it by; without a reference in SQL neither, and a note says
    so.
    Nothing that goes wrong here changes a verdict: it is a note.
    """
    reference = next((each for each in question.vetted.panel.references if each.kind == "sql"), None)
    obligations = _list_obligations(question)
    if not obligations or question.task is None:
        # A task that states none has asked for nothing here.
        return Answered()
    if reference is None:
        return Answered(notes=("not diagnosed: no reference in SQL",))
    try:
        with question.bench.workshop.lease(question.baseline.engine):
            return _Diagnosing(question, question.task, reference, obligations).run()
    except LockinError as error:
        return Answered(notes=(f"not diagnosed: {error.one_line}",))
    except Exception as error:
        if os.environ.get("LOCKIN_DEBUG"):
            raise
        said = f"{type(error).__name__}: {error}"
        return Answered(notes=(f"not diagnosed: lockin itself failed: {said} (LOCKIN_DEBUG=1 shows where)",))


def _list_obligations(question: Question) -> tuple[Obligation, ...]:
    """List the task's obligations and those beside its references."""
    stated = question.task.obligations if question.task else ()
    return (*stated, *load_hidden_obligations(Path(question.vetted.panel.folder)))


class _Diagnosing:
    """One suite's diagnosis from end to end."""

    def __init__(
        self, question: Question, task: Task, reference: Reference, obligations: Sequence[Obligation]
    ) -> None:
        self._question, self._task, self._reference = question, task, reference
        self._obligations = tuple(obligations)
        schemas = task.schemas
        self._schemas = schemas
        self._base = render(reference.text)
        self._linker = Linker(reference.text, schemas, obligations)
        self._source = "\n".join(_read(path) for _, path in find_sources(question.baseline))
        self._panel: Panel = question.vetted.panel
        self._lab = SuiteLab(question.bench, question.baseline, self._panel, task, reference)

    def run(self) -> Answered:
        try:
            return self._run()
        finally:
            self._lab.close()

    def _run(self) -> Answered:
        inputs = {**self._list_data(), **self._lab.list_telling()}
        outputs = self._run_candidate(inputs)
        variants = make_variants(self._reference.text, self._schemas)
        edits = (
            *(read_variant(self._base, each) for each in variants),
            *make_misreadings(self._base, self._schemas, self._source),
        )
        suspect = Suspect(base=self._base, edits=edits, outputs=outputs, source=self._source)
        engine = self._question.baseline.engine
        found = diagnose(
            suspect, lambda sql, name: self._lab.run_exactly(sql, inputs[name]), self._linker, engine=engine
        )
        evidence, notes = self._gather(found)
        counted = self._count()
        seen = Seen(
            found=found,
            plan=_read(Path(self._question.baseline.live.suite.folder) / _PLAN),
            evidence=evidence,
            counted=counted,
            passes=self._question.baseline.counts.green,
            witness=self._question.witness,
            meant=self._question.baseline.live.meant,
        )
        stated = {each.id for each in self._obligations}
        unknown = dict.fromkeys(name for _, name in seen.meant if name not in stated)
        if unknown:
            notes = (*notes, f"marked for obligations that the task does not state: {', '.join(unknown)}")
        beyond = counted.get("")
        if beyond and (beyond.unrevealed or beyond.uninfected):
            number = len(beyond.unrevealed) + len(beyond.uninfected)
            verb = "is" if number == 1 else "are"
            said = f"{count(number, 'unnoticed alternative')} {verb} beyond the task's obligations"
            notes = (*notes, said)
        return Answered(
            diagnosis=found.diagnosis, findings=conclude_findings(self._obligations, seen), notes=notes
        )

    # Inputs.

    def _list_data(self) -> dict[str, Tables]:
        """List the references' data and the frozen fixtures, only tables the statement reads."""
        found = {_DATA: self._narrow(tables_for(self._panel, self._task))}
        frozen = self._question.frozen
        for fixture in frozen.fixtures if frozen else ():
            assert frozen is not None  # noqa: S101 - it holds the fixture
            store = self._question.bench.fixture_store
            found[fixture.name] = keep_tables(fixture.to_dataset(), frozen.profile, store)
        return found

    def _narrow(self, tables: Tables) -> Tables:
        read = set(read_ending(self._reference.text).tables)
        return tuple(each for each in tables if each.name.lower() in read) or tables

    def _run_candidate(self, inputs: dict[str, Tables]) -> dict[str, Frame | None]:
        """Give what the candidate returns on each input; where a case saw it, that is taken."""
        outputs = {name: self._lab.outputs.get(tables) for name, tables in inputs.items()}
        wanted = [name for name, frame in outputs.items() if frame is None]
        everything = tables_for(self._panel, self._task)
        return outputs | self._lab.run_candidate(
            {name: everything if name == _DATA else inputs[name] for name in wanted}
        )

    # Tests.

    def _gather(
        self, found: Found
    ) -> tuple[tuple[tuple[Violation, tuple[CaseEvidence, ...]], ...], tuple[str, ...]]:
        violations = [each for each in list_violations(found) if each.obligation]
        if not violations or not self._question.baseline.counts.green or not found.diagnosis.explained:
            return tuple((each, ()) for each in violations), ()
        if found.pair is None:
            return tuple((each, ()) for each in violations), ()
        prober = Prober(self._base, found, found.pair, self._lab)
        notes: tuple[str, ...] = ()
        if prober.unfit:
            notes = (f"{len(prober.unfit)} cases do not take the reference's variant as the candidate",)
        return tuple((each, prober.gather(each)) for each in violations), notes

    def _count(self) -> dict[str, Counted]:
        trials = self._question.trials
        if trials is None or trials.refusal:
            return {}
        return count_alternatives(trials.alternatives, self._question.mutants, self._linker)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


__all__ = ["Answered", "Question", "diagnose_suite", "report_diagnosis"]
