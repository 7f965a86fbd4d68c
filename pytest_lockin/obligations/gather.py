"""What the cases of a suite do about each violated obligation: found by putting it right, and by wrecking."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_lockin.model.finding import CaseEvidence, ShapeKind
from pytest_lockin.obligations.distance import Content, measure_distance, read_content
from pytest_lockin.obligations.edits import Edit, apply_edits
from pytest_lockin.obligations.view import View, view_of
from pytest_lockin.obligations.wreck import wreck_columns, wreck_rows

if TYPE_CHECKING:
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.obligations.diagnose import Found

# What a set of input tables is, only the laboratory knows.
Tables = Any
Program = Callable[[Tables], "Frame | None"]

# Cells changed, one after the other, until the difference shows.
_MOST_CELLS = 60


class Lab(Protocol):
    """Where programs and the suite are run."""

    @property
    def inputs(self) -> Mapping[str, Sequence[Tables]]:
        """What each green case was seen to give the entry point."""
        ...

    def run(self, sql: str, tables: Tables) -> Frame | None:
        """Run a statement on tables; None where it raises."""
        ...

    def reject(self, program: Program) -> frozenset[str]:
        """Run the suite with a program in the candidate's place; give the green cases that fail."""
        ...

    def sharpen(self, tables: Tables, columns: Sequence[str], most: int) -> Iterator[tuple[str, Tables]]:
        """Change one cell of these input columns after the other; say what was done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One violated obligation and what makes the program violate it.

    Attributes:
        edits: of the statement; `findings` are numbers of the shape's findings.
        about_schema: what is wrong are names, types, places or labels.
        columns: input columns, bare, whose cells may show it.
    """

    obligation: str
    edits: tuple[Edit, ...] = ()
    findings: frozenset[int] = frozenset()
    about_schema: bool = False
    columns: tuple[str, ...] = ()


def list_violations(found: Found) -> tuple[Violation, ...]:
    """List what a diagnosis found broken; what belongs to no obligation goes under ""."""
    shape = found.diagnosis.shape
    homes = dict.fromkeys((*(home for home, _ in found.edits), *(each.obligation for each in shape)))
    return tuple(_violation(found, home) for home in homes)


def _violation(found: Found, home: str) -> Violation:
    edits = tuple(edit for each, edit in found.edits if each == home)
    findings = frozenset(n for n, each in enumerate(found.diagnosis.shape) if each.obligation == home)
    columns = tuple(dict.fromkeys(name.rpartition(".")[2].lower() for edit in edits for name in edit.columns))
    labels = all(edit.kind.value == "literal" and edit.clause.value == "select" for edit in edits)
    return Violation(obligation=home, edits=edits, findings=findings, about_schema=labels, columns=columns)


class Prober:
    """One explained candidate in a laboratory.

    Args:
        base: the reference's rendered statement.
        found: its diagnosis.
        pair: the results that `found.shape` compares.
    """

    def __init__(self, base: str, found: Found, pair: tuple[Frame, Frame], lab: Lab) -> None:
        self._base, self._found, self._pair, self._lab = base, found, pair, lab
        self._read = tuple(dict.fromkeys(re.findall(r"[a-z_]\w*", base.lower())))
        self._edits = tuple(edit for _, edit in found.edits)
        self._as_is = self._view(frozenset())
        self.unfit = lab.reject(self.program())

    def _view(self, put_right: frozenset[int]) -> View:
        return view_of(self._found.shape, *self._pair, put_right)

    def program(self, right: Violation | None = None) -> Program:
        """Give the candidate as the reference with edits; with one violation put right."""
        gone = {edit.id for edit in right.edits} if right else set()
        sql = apply_edits(self._base, [edit for edit in self._edits if edit.id not in gone]) or self._base
        view = self._view(right.findings) if right and right.findings else self._as_is

        def run(tables: Tables) -> Frame | None:
            frame = self._lab.run(sql, tables)
            return view.show(frame) if frame is not None else None

        return run

    def gather(self, violation: Violation) -> tuple[CaseEvidence, ...]:
        """See what each case does about one violation; cases that do not take the stand-in say nothing."""
        cases = [case for case in self._lab.inputs if case not in self.unfit]
        rejecting = self._lab.reject(self.program(violation)) - self.unfit
        differing = {case: self._differs(violation, self._lab.inputs[case]) for case in cases}
        sharpened = {} if rejecting else self._sharpen(violation, [c for c in cases if not differing[c]])
        spots = [spot for spot in (*differing.values(), *(spot for _, spot in sharpened.values())) if spot]
        looking = frozenset() if rejecting else self._look(violation, spots)
        return tuple(
            CaseEvidence(
                case_id=case,
                rejects=case in rejecting,
                differs=bool(differing[case]),
                looks=case in looking or case in rejecting,
                sharpened=sharpened[case][0] if case in sharpened else "",
            )
            for case in cases
        )

    def _differs(self, violation: Violation, inputs: Sequence[Tables]) -> frozenset[str]:
        """Where results differ once the violation is put right: names of columns, `*` for the rows."""
        spots = [self._compare(violation, tables) for tables in inputs]
        return frozenset().union(*spots)

    def _compare(self, violation: Violation, tables: Tables) -> frozenset[str]:
        one, other = self.program()(tables), self.program(violation)(tables)
        if one is None or other is None:
            return frozenset()
        if violation.findings:
            return frozenset(
                name for n in violation.findings for name in self._found.shape.findings[n].columns
            )
        return _spots(one, read_content(one), read_content(other))

    def _sharpen(self, violation: Violation, cases: Sequence[str]) -> dict[str, tuple[str, frozenset[str]]]:
        """Change a cell of each case's rows until the results differ."""
        found = {}
        for case in cases:
            changed = self._change(violation, self._lab.inputs[case])
            if changed is not None:
                found[case] = changed
        return found

    def _change(self, violation: Violation, inputs: Sequence[Tables]) -> tuple[str, frozenset[str]] | None:
        """Change the columns misread first, then any the statement reads."""
        for columns in (violation.columns, self._read):
            for tables in inputs:
                for said, edited in self._lab.sharpen(tables, columns, _MOST_CELLS):
                    spots = self._compare(violation, edited)
                    if spots:
                        return said, spots
        return None

    def _look(self, violation: Violation, spots: Sequence[frozenset[str]]) -> frozenset[str]:
        """Find the cases that fail where what is concerned is wrecked."""
        names = frozenset().union(*spots)
        if not names:
            return frozenset()
        ways: list[Callable[[Frame], Frame]] = []
        columns = sorted(names - {"*"})
        if violation.findings:
            ways = [lambda frame: wreck_columns(frame, self._shown(columns), "rename")]
        else:
            ways = [lambda frame: wreck_columns(frame, columns, "null")]
            ways.append(lambda frame: wreck_columns(frame, columns, "shift"))
            if "*" in names:
                ways += [lambda frame: wreck_rows(frame, "less"), lambda frame: wreck_rows(frame, "more")]
        return frozenset().union(*(self._lab.reject(self._wrecked(way)) for way in ways)) - self.unfit

    def _shown(self, columns: Sequence[str]) -> list[str]:
        """Give the candidate's names of the reference's columns; all, where one is missing or moved."""
        kinds = {each.kind for each in self._found.shape.findings if set(each.columns) & set(columns)}
        names = [name or self._pair[0].names[place] for place, name, _ in self._as_is.columns]
        if kinds & {ShapeKind.MISSING, ShapeKind.ORDER, ShapeKind.EXTRA}:
            return names
        places = {self._pair[0].names.index(name) for name in columns if name in self._pair[0].names}
        shown = zip(self._as_is.columns, names, strict=True)
        return [name for (place, _, _), name in shown if place in places]

    def _wrecked(self, way: Callable[[Frame], Frame]) -> Program:
        whole = self.program()

        def run(tables: Tables) -> Frame | None:
            frame = whole(tables)
            return way(frame) if frame is not None else None

        return run


def _spots(frame: Frame, one: Content, other: Content) -> frozenset[str]:
    if len(one.columns) != len(other.columns):
        return frozenset({"*"})
    found = {
        name
        for name, mine, theirs in zip(frame.names, one.columns, other.columns, strict=True)
        if measure_distance(Content((mine,), one.rows), Content((theirs,), other.rows))
    }
    if one.rows != other.rows:
        found.add("*")
    return frozenset(found or (frame.names if measure_distance(one, other) else ()))
