"""Evaluate a folder of runs: outcomes, scores, changes, mechanisms, robustness - one frozen result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from pytest_lockin.errors import StudyError
from pytest_lockin.frames import Frame
from pytest_lockin.frames.store import read_frame
from pytest_lockin.studies.planaudit.changes import PairedChange, pair_changes
from pytest_lockin.studies.planaudit.checks import Discrepancy, find_discrepancies
from pytest_lockin.studies.planaudit.conditions import ConditionResult, sum_condition
from pytest_lockin.studies.planaudit.edits import EditCounts, count_edits
from pytest_lockin.studies.planaudit.ladder import LadderResult, climb_ladder
from pytest_lockin.studies.planaudit.mechanisms import MechanismCounts, count_mechanisms
from pytest_lockin.studies.planaudit.outcomes import ReportedTask, read_report
from pytest_lockin.studies.planaudit.raters import RaterPair, compare_raters
from pytest_lockin.studies.planaudit.replication import Replication, build_replication
from pytest_lockin.studies.planaudit.robustness import Robustness, check_robustness
from pytest_lockin.studies.planaudit.runs import Run, read_runs
from pytest_lockin.studies.planaudit.setup import ALL_ASSIGNED, Cohort, Setup, read_setup

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from pytest_lockin.studies.controls.report import ControlReport

REPORT_FILE = "lockin.json"
OUTPUT_FILES = ("output.arrow", "output.parquet")
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortResult:
    """One cohort: every condition's outcomes, and every branch's paired changes."""

    cohort: Cohort
    tasks: int
    conditions: tuple[ConditionResult, ...]
    changes: tuple[PairedChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """One stored output against its reference: rounding (A1.27) and normalisation (A1.28)."""

    condition: str
    task: str
    robustness: Robustness
    ladder: LadderResult


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """All that the tables are made of. The first cohort is everyone assigned."""

    setup: Setup
    runs: tuple[Run, ...]
    cohorts: tuple[CohortResult, ...]
    mechanisms: tuple[MechanismCounts, ...]
    raters: tuple[RaterPair, ...]
    edits: tuple[EditCounts, ...]
    outputs: tuple[OutputCheck, ...]
    discrepancies: tuple[Discrepancy, ...]
    replication: Replication | None = None
    controls: ControlReport | None = None

    @property
    def is_sound(self) -> bool:
        """Whether no two sources contradict each other, and the controls, if run, were all right."""
        return not self.discrepancies and (self.controls is None or self.controls.all_right)


def evaluate(
    runs: Path,
    *,
    reports: Sequence[Path] = (),
    replication: Path | None = None,
    references: Mapping[str, Frame] | None = None,
    controls: ControlReport | None = None,
    reproduced: Iterable[str] | None = None,
) -> StudyResult:
    """Evaluate a folder of runs laid out as `<condition>/<task>/{plan.md,solution.py,test_solution.py}`.

    Outcomes come from lock-in JSON reports (by default `lockin.json` in the folder or in a condition's),
    scores from each run's `labels.json`. With `references` (task to frame), outputs stored beside a run as
    `output.arrow` or `output.parquet` get the post-hoc checks. `replication` is another such folder.
    `reproduced` are the tasks whose stored references were rebuilt; given, it adds the cohort of these.

    Raises:
        StudyError: a file cannot be used. Contradictions between files are no error but discrepancies.
    """
    setup, read = _read_study(runs, reports)
    setup = _add_reproduced(setup, read, reproduced)
    return StudyResult(
        setup=setup,
        runs=read,
        cohorts=tuple(_sum_cohort(setup, read, cohort) for cohort in setup.cohorts),
        mechanisms=tuple(count_mechanisms(one, read, ALL_ASSIGNED) for one in setup.conditions),
        raters=compare_raters(read),
        edits=count_edits(runs, setup, read),
        outputs=_check_outputs(runs, setup, read, references or {}),
        discrepancies=find_discrepancies(read),
        replication=build_replication(*_read_study(replication, ())) if replication else None,
        controls=controls,
    )


def _read_study(runs: Path, reports: Sequence[Path]) -> tuple[Setup, tuple[Run, ...]]:
    setup = read_setup(runs)
    given = [entry for path in reports for entry in read_report(path)]
    return setup, read_runs(runs, setup, given if reports else _read_reports(runs, setup))


def _read_reports(runs: Path, setup: Setup) -> list[ReportedTask]:
    places = {"": runs, **{one.folder: runs / one.folder for one in setup.conditions}}
    found = {name: place / REPORT_FILE for name, place in places.items() if (place / REPORT_FILE).is_file()}
    if not found:
        raise StudyError(
            expected=f"a lock-in report {REPORT_FILE} in {runs} or in its conditions",
            found="none",
            hint=f"pytest --lockin-reference refs/ --lockin-json {runs / REPORT_FILE} {runs}",
        )
    return [entry for name, path in found.items() for entry in read_report(path, name)]


def _add_reproduced(setup: Setup, runs: Sequence[Run], reproduced: Iterable[str] | None) -> Setup:
    if reproduced is None:
        return setup
    kept = set(reproduced)
    excluded = tuple(sorted({run.task for run in runs} - kept))
    cohort = Cohort(title="Reproduced references", exclude=excluded)
    return replace(setup, cohorts=(*setup.cohorts, cohort))


def _sum_cohort(setup: Setup, runs: Sequence[Run], cohort: Cohort) -> CohortResult:
    return CohortResult(
        cohort=cohort,
        tasks=len({run.task for run in runs if run.task not in cohort.exclude}),
        conditions=tuple(sum_condition(one, runs, cohort) for one in setup.conditions),
        changes=pair_changes(setup, runs, cohort),
    )


def _check_outputs(
    folder: Path, setup: Setup, runs: Sequence[Run], references: Mapping[str, Frame]
) -> tuple[OutputCheck, ...]:
    keys = dict(setup.alignment)
    checks = []
    for run in runs:
        path = find_output(folder / run.folder)
        if path is None or run.task not in references:
            continue
        expected, found = references[run.task], load_frame(path)
        checks.append(
            OutputCheck(
                condition=run.condition,
                task=run.task,
                robustness=check_robustness(expected, found, keys.get(run.task, ())),
                ladder=climb_ladder(expected, found),
            )
        )
    return tuple(checks)


def find_output(folder: Path) -> Path | None:
    """Return the run's stored output, if there is one."""
    return next((folder / name for name in OUTPUT_FILES if (folder / name).is_file()), None)


def load_frame(path: Path) -> Frame:
    """Read a stored frame, or a Parquet file with the Spark schema that Spark leaves in it.

    Raises:
        StudyError: the Parquet file is torn.
        FrameError: the stored frame is.
    """
    if path.suffix != ".parquet":
        return read_frame(path)
    try:
        table = pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException) as error:
        raise StudyError(
            expected=f"a Parquet file in {path}", found=str(error), hint="write the output again"
        ) from error
    schema = (table.schema.metadata or {}).get(_SPARK_SCHEMA, b"").decode()
    return Frame(table=table, rows=table.num_rows, schema_json=schema)
