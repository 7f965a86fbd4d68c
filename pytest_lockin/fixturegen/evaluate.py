"""Which datasets tell which variants from the reference: the matrix that fixtures are chosen from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_lockin.fixturegen.stack import Stackable
    from pytest_lockin.fixturegen.warehouse import Digests, Warehouse

_THREADS = 2
_FIRST_ROUND = 48
_GROWTH = 4
_ENOUGH = 6


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

    def survivors(self) -> tuple[str, ...]:
        """Name the variants that ran and that no dataset separates."""
        return tuple(v for v, seen in self.separated.items() if not seen and not self.raising.get(v))


def measure_separations(
    warehouse: Warehouse,
    reference: Stackable,
    variants: Mapping[str, Stackable],
    *,
    numbers: Sequence[int] | None = None,
    enough: int = _ENOUGH,
) -> Matrix:
    """Run reference and variants on the datasets (all by default) and tell where their rows differ.

    Datasets are taken in growing portions; a variant that `enough` of them separate is left out of the
    next portion. Row order is not looked at.

    Raises:
        FixturesError: the reference cannot be bound.
    """
    expected = warehouse.digest(reference, numbers)
    usable = sorted(expected.found)
    separated: dict[str, set[int]] = {name: set() for name in variants}
    raising: dict[str, set[int]] = {name: set() for name in variants}
    tried = dict.fromkeys(variants, 0)
    unrun: dict[str, str] = {}
    open_variants = list(variants)
    for portion in _portions(usable):
        answers = _digest_all(warehouse, {name: variants[name] for name in open_variants}, portion)
        for name, answer in answers.items():
            if isinstance(answer, FixturesError):
                unrun[name] = answer.found
                continue
            tried[name] += len(portion)
            separated[name] |= {n for n, digest in answer.found.items() if digest != expected.found[n]}
            raising[name] |= answer.raised.keys() & expected.found.keys()
        open_variants = [n for n in open_variants if n not in unrun and len(separated[n]) < enough]
    return Matrix(
        defined={number: digest[0] for number, digest in expected.found.items()},
        separated={name: frozenset(seen) for name, seen in separated.items() if name not in unrun},
        raising={name: frozenset(seen) for name, seen in raising.items() if seen},
        tried=tried,
        unrun=unrun,
    )


def _portions(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    start, size = 0, _FIRST_ROUND
    while start < len(numbers):
        yield numbers[start : start + size]
        start += size
        size *= _GROWTH


def _digest_all(
    warehouse: Warehouse, statements: Mapping[str, Stackable], numbers: Sequence[int]
) -> dict[str, Digests | FixturesError]:
    def digest(statement: Stackable) -> Digests | FixturesError:
        try:
            return warehouse.digest(statement, numbers)
        except FixturesError as error:
            return error

    # DuckDB works outside of Python's lock.
    with ThreadPoolExecutor(_THREADS) as threads:
        return dict(zip(statements, threads.map(digest, statements.values()), strict=True))
