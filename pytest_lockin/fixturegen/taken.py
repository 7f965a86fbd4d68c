"""The fixtures taken so far: proposed by looking, kept by plain runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.merge import CAP, largest_table
from pytest_lockin.fixturegen.pack import MOST_FIXTURES, Bundle, Plan, count_rows
from pytest_lockin.fixturegen.standing import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.fixturegen.confirm import Confirm, Confirmation
    from pytest_lockin.fixturegen.evaluate import Matrix, Programs
    from pytest_lockin.model.fixture import Dataset

VOLUME = "volume"


@dataclass(slots=True)
class Taken:
    """The fixtures so far, each with what plain runs said."""

    datasets: Sequence[Dataset]
    programs: Programs
    confirm: Confirm
    judge: Confirm | None = None
    say: Callable[[str], None] = lambda _: None
    held: dict[tuple[int, ...], tuple[Bundle, Confirmation]] = field(default_factory=dict)
    unfit: dict[int, str] = field(default_factory=dict)
    refuted: set[tuple[str, int]] = field(default_factory=set)

    def take(self, bundles: Sequence[Bundle]) -> bool:
        """Confirm bundles and keep those that hold; tell whether all of what they promised came true."""
        proposed = {bundle.parts for bundle in bundles}
        self.held = {parts: kept for parts, kept in self.held.items() if parts in proposed}
        fine = True
        for bundle in bundles:
            wanted = bundle.separates - self._separated()
            if bundle.parts in self.held or not wanted:
                continue
            confirmation = self.confirm(bundle.dataset, self.programs, wanted)
            unfit = confirmation.unfit or self._find_dispute(bundle.dataset, confirmation)
            if unfit:
                self.say(f"a fixture is not used: {unfit}")
                self.unfit.update(dict.fromkeys(bundle.parts, unfit))
                fine = False
                continue
            missed = wanted - confirmation.differs.keys() - confirmation.raised.keys()
            self.refuted |= {(name, part) for name in missed for part in bundle.parts}
            fine = fine and not missed
            self.held[bundle.parts] = (bundle, confirmation)
        return fine

    def _find_dispute(self, dataset: Dataset, confirmation: Confirmation) -> str:
        """Say whether the judge makes something else of the reference: then a right program may seem wrong.

        (A ROLLUP over no rows is a grand total to one engine and nothing to another.) A judge that is not
        there disputes nothing.
        """
        if self.judge is None:
            return ""
        told = self.judge(dataset, self.programs, ())
        if not told.unfit and told.rows != confirmation.rows:
            return f"the engines give the reference {confirmation.rows} and {told.rows} rows"
        return told.unfit if told.unfit.startswith("the reference") else ""

    def _separated(self) -> frozenset[str]:
        return frozenset(name for _, confirmation in self.held.values() for name in confirmation.differs)

    def without_refuted(self, plan: Plan) -> Plan:
        """Give the plan less what plain runs did not confirm."""
        matrix = plan.matrix
        separated = {
            name: frozenset(n for n in seen if n not in self.unfit and (name, n) not in self.refuted)
            for name, seen in matrix.separated.items()
        }
        return replace(plan, matrix=replace(matrix, separated=separated))

    def take_volume(self, matrix: Matrix) -> None:
        """Take databases with more rows than a fixture may have, where only such ones separate."""
        shown = matrix.shown_on()
        waiting = [n for n in sorted(matrix.defined) if largest_table(self.datasets[n]) > CAP]
        while waiting and len(self.held) < MOST_FIXTURES:
            left = shown.keys() - self._separated()
            sets = {n: frozenset(name for name in left if n in shown[name]) for n in waiting}
            best = max(waiting, key=lambda n: (len(sets[n]), -count_rows(self.datasets[n])))
            if not sets[best]:
                return
            waiting.remove(best)
            bundle = Bundle(parts=(best,), dataset=self.datasets[best], separates=sets[best])
            self.take([*(held for held, _ in self.held.values()), bundle])

    def ask_the_rest(self) -> None:
        """Run what nothing separates yet on the fixtures: names, types and engines may differ too."""
        if not self.held:
            self._take_first()
        for parts, (bundle, confirmation) in self.held.items():
            rest = self.programs.statements.keys() - self._separated() - confirmation.raised.keys()
            more = self.confirm(bundle.dataset, self.programs, rest)
            self.held[parts] = (bundle, _add(confirmation, more))
        if self.judge is not None:
            self._ask_judge(self.judge)
        self._count_raising()

    def _ask_judge(self, judge: Confirm) -> None:
        """Ask about what raised on every fixture: the engine may be what cannot run it."""
        raised = [confirmation.raised.keys() for _, confirmation in self.held.values()]
        everywhere = set(raised[0]).intersection(*raised)
        for parts, (bundle, confirmation) in self.held.items():
            asked = everywhere - self._separated()
            if not asked:
                return
            told = judge(bundle.dataset, self.programs, asked)
            if not told.unfit:
                kept = {name: what for name, what in confirmation.raised.items() if name not in asked}
                self.held[parts] = (bundle, _add(replace(confirmation, raised=kept), told))

    def _count_raising(self) -> None:
        """Count what raises on some fixtures only, where the reference returns, as told apart there."""
        raised = [confirmation.raised.keys() for _, confirmation in self.held.values()]
        sometimes = set().union(*raised) - set(raised[0]).intersection(*raised) - self._separated()
        for parts, (bundle, confirmation) in self.held.items():
            told = {name: f"raises {what}" for name, what in confirmation.raised.items() if name in sometimes}
            self.held[parts] = (bundle, replace(confirmation, differs={**confirmation.differs, **told}))

    def _take_first(self) -> None:
        """Take the first database that will do as the only fixture."""
        for number, dataset in enumerate(self.datasets):
            if number not in self.unfit and largest_table(dataset) <= CAP:
                bundle = Bundle(parts=(number,), dataset=dataset, separates=frozenset())
                confirmation = self.confirm(dataset, self.programs, ())
                if (
                    not confirmation.unfit
                    and confirmation.rows
                    and not self._find_dispute(dataset, confirmation)
                ):
                    self.held[bundle.parts] = (bundle, confirmation)
                    return
        raise FixturesError(
            expected="a small database on which the reference returns rows",
            found=f"none among {len(self.datasets)}",
            hint="its conditions may contradict each other or the task's schemas",
        )

    def evidence(self, matrix: Matrix) -> Evidence:
        """Sum up what is known of each variant."""
        names = dict(zip(self.held, self.names(), strict=True))
        found: dict[str, tuple[str, str]] = {}
        raised: dict[str, list[str]] = {}
        for parts, (_, confirmation) in self.held.items():
            for name, how in confirmation.differs.items():
                found.setdefault(name, (names[parts], how))
            for name, what in confirmation.raised.items():
                raised.setdefault(name, []).append(what)
        everywhere = {name: said[0] for name, said in raised.items() if len(said) == len(self.held)}
        return Evidence(
            separated=found,
            raises=everywhere,
            seen_only_while_looking=frozenset(
                name for name, seen in matrix.separated.items() if seen and name not in found
            ),
            unlooked={**self.programs.unread, **matrix.unrun},
            tried=matrix.tried,
            most_rows=max(matrix.defined.values(), default=0),
            fixtures=len(self.held),
        )

    def names(self) -> list[str]:
        """Name what was taken: f1, f2 and so on, and the one with more rows than a fixture may have."""
        names: list[str] = []
        for bundle, _ in self.held.values():
            large = largest_table(bundle.dataset) > CAP
            alike = sum(name.startswith(VOLUME) == large for name in names)
            names.append(VOLUME + (str(alike + 1) if alike else "") if large else f"f{alike + 1}")
        return names


def _add(one: Confirmation, other: Confirmation) -> Confirmation:
    return replace(one, differs={**one.differs, **other.differs}, raised={**one.raised, **other.raised})
