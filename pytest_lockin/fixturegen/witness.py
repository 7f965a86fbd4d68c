"""The smallest database that tells one variant from the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.shrink import shrink_dataset
from pytest_lockin.fixturegen.warehouse import Warehouse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_lockin.fixturegen.merge import Links
    from pytest_lockin.fixturegen.stack import Stackable
    from pytest_lockin.model.fixture import Dataset, Profile


def differ_in_bulk(
    profile: Profile, reference: Stackable, variant: Stackable
) -> Callable[[Sequence[Dataset]], list[bool]]:
    """Give the oracle for `shrink_dataset`: on which of some databases do two statements' rows differ?

    Both must return: where one raises, the answer is no.
    """

    def differs(datasets: Sequence[Dataset]) -> list[bool]:
        with Warehouse(profile, datasets, [reference.sql, variant.sql]) as warehouse:
            expected, found = warehouse.digest(reference), warehouse.digest(variant)
        return [
            n in expected.found and n in found.found and expected.found[n] != found.found[n]
            for n in range(len(datasets))
        ]

    return differs


def find_witness(
    profile: Profile,
    reference: Stackable,
    variant: Stackable,
    datasets: Iterable[Dataset],
    *,
    links: Links = (),
) -> Dataset | None:
    """Shrink the first of these databases on which the two differ; None where they differ on none."""
    differs = differ_in_bulk(profile, reference, variant)
    for dataset in datasets:
        try:
            if differs([dataset])[0]:
                return shrink_dataset(dataset, profile, differs, links=links)
        except FixturesError:
            return None
    return None
