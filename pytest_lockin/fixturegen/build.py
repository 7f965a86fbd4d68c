"""The fixtures of one task: from many small databases to the few that are frozen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.evaluate import make_programs, measure_separations
from pytest_lockin.fixturegen.legal import check_legal
from pytest_lockin.fixturegen.merge import CAP, merge_with_uses
from pytest_lockin.fixturegen.pack import Bundle, Plan, count_rows, largest_table, pack_datasets
from pytest_lockin.fixturegen.standing import Evidence, judge_variants
from pytest_lockin.fixturegen.tables import ddl_type
from pytest_lockin.fixturegen.warehouse import Warehouse
from pytest_lockin.model.fixture import Fixture, FixtureTable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from pytest_lockin.fixturegen.confirm import Confirm, Confirmation
    from pytest_lockin.fixturegen.equivalence import Proof
    from pytest_lockin.fixturegen.evaluate import Matrix, Programs
    from pytest_lockin.fixturegen.merge import Links
    from pytest_lockin.model.alternative import Variant
    from pytest_lockin.model.fixture import Dataset, Profile, VariantStanding

_PACKINGS = 3
VOLUME = "volume"


@dataclass(frozen=True, slots=True, kw_only=True)
class Making:
    """What a task's fixtures are made of.

    Attributes:
        datasets: legal small databases, the likeliest first.
        links: columns that the reference compares.
        confirm: plain runs on Spark-compatible execution.
        prove: proves a variant's statement equivalent to the reference; None where it cannot.
        say: told what is going on.
    """

    task: str
    profile: Profile
    reference: str
    variants: tuple[Variant, ...]
    datasets: tuple[Dataset, ...]
    confirm: Confirm
    links: Links = ()
    prove: Callable[[str], Proof | None] = lambda _: None
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A task's fixtures, and what is known of each variant."""

    fixtures: tuple[Fixture, ...]
    standings: tuple[VariantStanding, ...]


def build_fixtures(making: Making) -> Made:
    """Choose fixtures from the datasets and sort the variants into their classes.

    A dataset on which the reference raises or is not stable is not used; a separation counts when plain
    runs confirm it.

    Raises:
        FixturesError: a dataset is not legal, or the reference runs on none of them.
    """
    _refuse_illegal(making)
    programs = make_programs(making.reference, {v.id: v.sql for v in making.variants}, making.profile)
    with Warehouse(making.profile, making.datasets, programs.texts) as warehouse:
        matrix = measure_separations(warehouse, programs)
    making.say(f"{len(making.datasets)} databases, {len(matrix.survivors())} variants differ on none")
    confirmed = _Confirmed(making, programs)
    plan = Plan(
        datasets=making.datasets,
        matrix=matrix,
        profile=making.profile,
        programs=programs,
        links=making.links,
    )
    for _ in range(_PACKINGS):
        if confirmed.take(pack_datasets(plan)):
            break
        plan = confirmed.without_refuted(plan)
    confirmed.take_volume(matrix)
    confirmed.ask_the_rest()
    evidence = confirmed.evidence(matrix)
    return Made(
        fixtures=confirmed.freeze(),
        standings=judge_variants(making.variants, evidence, making.prove),
    )


def _refuse_illegal(making: Making) -> None:
    for dataset in making.datasets:
        violations = check_legal(dataset, making.profile)
        if violations:
            first = violations[0]
            raise FixturesError(
                expected=f"data that {making.task} allows in every small database",
                found=f"{first.table}: {first.detail} in {dataset.id}",
                hint="this is a fault of the generator; report it with the task",
            )


@dataclass(slots=True)
class _Confirmed:
    """The fixtures so far, each with what plain runs said."""

    making: Making
    programs: Programs
    taken: dict[tuple[int, ...], tuple[Bundle, Confirmation]] = field(default_factory=dict)
    unfit: dict[int, str] = field(default_factory=dict)
    refuted: set[tuple[str, int]] = field(default_factory=set)

    def take(self, bundles: Sequence[Bundle]) -> bool:
        """Confirm bundles and keep those that hold; tell whether all of what they promised came true."""
        proposed = {bundle.parts for bundle in bundles}
        self.taken = {parts: kept for parts, kept in self.taken.items() if parts in proposed}
        held = True
        for bundle in bundles:
            wanted = bundle.separates - self._separated()
            if bundle.parts in self.taken or not wanted:
                continue
            confirmation = self.making.confirm(bundle.dataset, self.programs, wanted)
            if confirmation.unfit:
                self.making.say(f"a fixture is not used: {confirmation.unfit}")
                self.unfit.update(dict.fromkeys(bundle.parts, confirmation.unfit))
                held = False
                continue
            missed = wanted - confirmation.differs.keys()
            self.refuted |= {(name, part) for name in missed for part in bundle.parts}
            held = held and not missed
            self.taken[bundle.parts] = (bundle, confirmation)
        return held

    def _separated(self) -> frozenset[str]:
        return frozenset(name for _, confirmation in self.taken.values() for name in confirmation.differs)

    def without_refuted(self, plan: Plan) -> Plan:
        """Give the plan less what plain runs did not confirm."""
        from dataclasses import replace

        matrix = plan.matrix
        separated = {
            name: frozenset(n for n in seen if n not in self.unfit and (name, n) not in self.refuted)
            for name, seen in matrix.separated.items()
        }
        return replace(plan, matrix=replace(matrix, separated=separated))

    def take_volume(self, matrix: Matrix) -> None:
        """Take one database with more rows than a fixture may have, where only such a one separates."""
        if not self.taken and not matrix.defined:
            return
        left = {name for name, seen in matrix.separated.items() if seen} - self._separated()
        sets = {
            n: frozenset(name for name in left if n in matrix.separated[name])
            for n, dataset in enumerate(self.making.datasets)
            if largest_table(dataset) > CAP and n in matrix.defined
        }
        best = max(sets, key=lambda n: (len(sets[n]), -count_rows(self.making.datasets[n])), default=None)
        if best is not None and sets[best]:
            bundle = Bundle(parts=(best,), dataset=self.making.datasets[best], separates=sets[best])
            self.take([*(bundle for bundle, _ in self.taken.values()), bundle])

    def ask_the_rest(self) -> None:
        """Run what nothing separates yet on the fixtures: names, types and engines may differ too."""
        if not self.taken:
            self._take_first()
        for parts, (bundle, confirmation) in self.taken.items():
            rest = self.programs.statements.keys() - self._separated() - confirmation.raised.keys()
            more = self.making.confirm(bundle.dataset, self.programs, rest)
            self.taken[parts] = (bundle, _add(confirmation, more))

    def _take_first(self) -> None:
        """Take the first database that will do as the only fixture."""
        for number, dataset in enumerate(self.making.datasets):
            if number not in self.unfit and largest_table(dataset) <= CAP:
                bundle = Bundle(parts=(number,), dataset=dataset, separates=frozenset())
                confirmation = self.making.confirm(dataset, self.programs, ())
                if not confirmation.unfit and confirmation.rows:
                    self.taken[bundle.parts] = (bundle, confirmation)
                    return
        raise FixturesError(
            expected=f"a small database on which the reference of {self.making.task} returns rows",
            found=f"none among {len(self.making.datasets)}",
            hint="its conditions may contradict each other or the task's schemas",
        )

    def evidence(self, matrix: Matrix) -> Evidence:
        """Sum up what is known of each variant."""
        names = dict(zip(self.taken, self._names(), strict=True))
        found: dict[str, tuple[str, str]] = {}
        raised: dict[str, list[str]] = {}
        for parts, (_, confirmation) in self.taken.items():
            for name, how in confirmation.differs.items():
                found.setdefault(name, (names[parts], how))
            for name, what in confirmation.raised.items():
                raised.setdefault(name, []).append(what)
        everywhere = {name: said[0] for name, said in raised.items() if len(said) == len(self.taken)}
        return Evidence(
            separated=found,
            raises=everywhere,
            seen_only_while_looking=frozenset(
                name for name, seen in matrix.separated.items() if seen and name not in found
            ),
            unlooked={**self.programs.unread, **matrix.unrun},
            tried=matrix.tried,
            most_rows=max(matrix.defined.values(), default=0),
            fixtures=len(self.taken),
        )

    def _names(self) -> list[str]:
        names, count = [], 0
        for bundle, _ in self.taken.values():
            if largest_table(bundle.dataset) > CAP:
                names.append(VOLUME)
            else:
                count += 1
                names.append(f"f{count}")
        return names

    def freeze(self) -> tuple[Fixture, ...]:
        """Give what was taken as fixtures."""
        return tuple(
            self._freeze(name, bundle, confirmation.differs.keys())
            for name, (bundle, confirmation) in zip(self._names(), self.taken.values(), strict=True)
        )

    def _freeze(self, name: str, bundle: Bundle, separates: Collection[str]) -> Fixture:
        parts = [self.making.datasets[number] for number in bundle.parts]
        cap = max(CAP, largest_table(bundle.dataset))
        merged = merge_with_uses(parts, self.making.profile, links=self.making.links, cap=cap)
        uses: Mapping[str, tuple[str, ...]] = merged[1] if merged is not None else {}
        return Fixture(
            task=self.making.task,
            name=name,
            purpose=f"{len(separates)} wrong programs show here that they are wrong",
            separates=tuple(sorted(separates)),
            tables=tuple(
                FixtureTable(
                    name=table.name,
                    columns=tuple((column.name, ddl_type(column)) for column in table.columns),
                    rows=rows.rows if (rows := bundle.dataset.table(table.name)) is not None else (),
                    uses=uses.get(table.name, ()),
                )
                for table in self.making.profile.tables
            ),
        )


def _add(one: Confirmation, other: Confirmation) -> Confirmation:
    from dataclasses import replace

    return replace(one, differs={**one.differs, **other.differs}, raised={**one.raised, **other.raised})
