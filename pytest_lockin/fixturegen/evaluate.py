"""Which datasets tell which variants from the reference: the matrix that fixtures are chosen from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.sequence import Orderer
from pytest_lockin.fixturegen.stack import make_stackable, read_tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from pytest_lockin.fixturegen.stack import Stackable
    from pytest_lockin.fixturegen.warehouse import Digests, Warehouse
    from pytest_lockin.model.fixture import Profile

_THREADS = 2
_FIRST_ROUND = 48
_GROWTH = 4
_ENOUGH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """The reference and its variants, ready for the stack.

    Attributes:
        sequence: the order of the reference's rows, where it has one by output columns.
        sequences: the same of the variants that end in another ORDER BY or LIMIT.
        cut: returns rows where the reference's LIMIT cuts a tie: its result is then anybody's choice.
        statements: every variant's text, also of those that are unread.
        unread: variants that cannot be said in DuckDB's dialect, with the reason.
    """

    reference: Stackable
    statements: Mapping[str, str]
    variants: Mapping[str, Stackable]
    sequence: Stackable | None = None
    sequences: Mapping[str, Stackable] = field(default_factory=dict)
    cut: Stackable | None = None
    unread: Mapping[str, str] = field(default_factory=dict)

    def only(self, names: Collection[str]) -> Programs:
        """Give the reference with some of the variants."""
        return replace(
            self,
            variants={name: text for name, text in self.variants.items() if name in names},
            sequences={name: text for name, text in self.sequences.items() if name in names},
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """The statements, for a warehouse that loads what they mention."""
        return (self.reference.sql, *(statement.sql for statement in self.variants.values()))


def make_programs(reference: str, variants: Mapping[str, str], profile: Profile) -> Programs:
    """Rewrite a reference and its variants for the stack.

    Raises:
        FixturesError: the reference cannot be said in DuckDB's dialect.
    """
    base = make_stackable(reference, profile)
    orderer = Orderer(reference, profile)
    ready: dict[str, Stackable] = {}
    sequences: dict[str, Stackable] = {}
    unread: dict[str, str] = {}
    for name, sql in variants.items():
        try:
            tree = read_tree(sql)
            affected = orderer.is_affected(tree)
            ready[name] = make_stackable(sql, profile, tree=tree)
        except FixturesError as error:
            unread[name] = error.found
            continue
        sequence = orderer.make_sequence(sql) if affected else None
        if sequence is not None:
            sequences[name] = sequence
    return Programs(
        reference=base,
        statements=variants,
        variants=ready,
        sequence=orderer.make_sequence(reference),
        sequences=sequences,
        cut=orderer.make_cut(),
        unread=unread,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """What was seen of each variant, by its id.

    Attributes:
        defined: datasets on which the reference returned something, with its row count.
        separated: datasets on which a variant's rows differ from the reference's.
        raising: datasets on which a variant raises and the reference does not.
        tried: how many datasets a variant was run on.
        unrun: variants DuckDB cannot bind, with its reason.
    """

    defined: Mapping[int, int]
    separated: Mapping[str, frozenset[int]]
    raising: Mapping[str, frozenset[int]] = field(default_factory=dict)
    tried: Mapping[str, int] = field(default_factory=dict)
    unrun: Mapping[str, str] = field(default_factory=dict)

    def shown_on(self) -> dict[str, frozenset[int]]:
        """Give the datasets that tell each variant apart: by its rows, else by raising on some of them."""
        shown = {name: seen for name, seen in self.separated.items() if seen}
        for name, seen in self.raising.items():
            if name not in shown and 0 < len(seen) < self.tried[name]:
                shown[name] = seen
        return shown

    def survivors(self) -> tuple[str, ...]:
        """Name the variants that ran and that no dataset separates."""
        return tuple(v for v, seen in self.separated.items() if not seen and not self.raising.get(v))


def measure_separations(
    warehouse: Warehouse, programs: Programs, *, numbers: Sequence[int] | None = None, enough: int = _ENOUGH
) -> Matrix:
    """Run reference and variants on the datasets (all by default) and tell where their results differ.

    Rows differ as multisets; where a variant ends in another ORDER BY, so does their order by the
    reference's keys. Datasets are taken in growing portions; a variant that `enough` of them separate is
    left out of the next portion. Only variants that none of the others separates are run on large ones.

    Raises:
        FixturesError: the reference cannot be bound.
    """
    expected = _without_cuts(warehouse, programs, warehouse.digest(programs.reference, numbers))
    ordered = warehouse.digest(programs.sequence, numbers) if programs.sequence is not None else None
    notes = _Notes(programs.variants)
    for portion, most in _portions(expected.found.keys(), warehouse.large, enough):
        asked = programs.only(notes.unsettled(most))
        notes.tell(
            _digest_all(warehouse, asked.variants, portion, programs.reference), expected, tried=len(portion)
        )
        if ordered is not None:
            notes.tell(_digest_all(warehouse, asked.sequences, portion, programs.sequence), ordered)
    return notes.conclude({number: digest[0] for number, digest in expected.found.items()})


def _without_cuts(warehouse: Warehouse, programs: Programs, expected: Digests) -> Digests:
    """Leave out datasets on which the reference's LIMIT cuts a tie."""
    if programs.cut is None:
        return expected
    cut = warehouse.digest(programs.cut, list(expected.found)).found
    return replace(
        expected, found={n: digest for n, digest in expected.found.items() if not cut.get(n, (0, 0))[0]}
    )


class _Notes:
    """What is known so far of each variant."""

    def __init__(self, names: Iterable[str]) -> None:
        self._separated: dict[str, set[int]] = {name: set() for name in names}
        self._raising: dict[str, set[int]] = {name: set() for name in self._separated}
        self._tried = dict.fromkeys(self._separated, 0)
        self._unrun: dict[str, str] = {}

    def unsettled(self, enough: int) -> frozenset[str]:
        """Name the variants that are worth another dataset."""
        return frozenset(
            name for name, seen in self._separated.items() if name not in self._unrun and len(seen) < enough
        )

    def tell(
        self, answers: Mapping[str, Digests | FixturesError], expected: Digests, *, tried: int = 0
    ) -> None:
        for name, answer in answers.items():
            if isinstance(answer, FixturesError):
                self._unrun[name] = answer.found
                continue
            self._tried[name] += tried
            common = answer.found.keys() & expected.found.keys()
            self._separated[name] |= {n for n in common if answer.found[n] != expected.found[n]}
            self._raising[name] |= answer.raised.keys() & expected.found.keys()

    def conclude(self, defined: Mapping[int, int]) -> Matrix:
        return Matrix(
            defined=defined,
            separated={n: frozenset(seen) for n, seen in self._separated.items() if n not in self._unrun},
            raising={n: frozenset(seen) for n, seen in self._raising.items() if seen},
            tried=self._tried,
            unrun=self._unrun,
        )


def _portions(
    numbers: Collection[int], large: Collection[int], enough: int
) -> Iterator[tuple[Sequence[int], int]]:
    """Give portions of datasets, each with how many may separate a variant that it is still run for."""
    small = sorted(number for number in numbers if number not in large)
    start, size = 0, _FIRST_ROUND
    while start < len(small):
        yield small[start : start + size], enough
        start += size
        size *= _GROWTH
    rest = sorted(number for number in numbers if number in large)
    if rest:
        yield rest, 1


def _digest_all(
    warehouse: Warehouse, statements: Mapping[str, Stackable], numbers: Sequence[int], like: Stackable | None
) -> dict[str, Digests | FixturesError]:
    def digest(statement: Stackable) -> Digests | FixturesError:
        try:
            return warehouse.digest(statement, numbers, like=like)
        except FixturesError as error:
            return error

    # DuckDB works outside of Python's lock.
    with ThreadPoolExecutor(_THREADS) as threads:
        return dict(zip(statements, threads.map(digest, statements.values()), strict=True))
