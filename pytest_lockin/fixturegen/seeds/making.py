"""Seeds of a statement: solve, run, grow until it returns rows; then one more for each of its goals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.fixturegen.drafts import to_dataset
from pytest_lockin.fixturegen.seeds.building import build_problem
from pytest_lockin.fixturegen.seeds.growing import apply_counts, grow, shrink
from pytest_lockin.fixturegen.seeds.solving import Search
from pytest_lockin.fixturegen.seeds.terms import fresh_start

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_lockin.fixturegen.drafts import Draft
    from pytest_lockin.fixturegen.form import Form
    from pytest_lockin.fixturegen.judge import Run
    from pytest_lockin.model.fixture import Profile
    from pytest_lockin.sql import Statement

_MOST_GOALS = 40
_TRIES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed:
    """A draft on which the statement was run: `rows` is how many it returned."""

    draft: Draft
    purpose: str
    rows: int


class SeedMaker:
    """Makes the seeds of one statement."""

    def __init__(self, statement: Statement, form: Form, profile: Profile, run: Run) -> None:
        self.statement = statement
        self.form = form
        self.profile = profile
        self.run = run

    def count(self, draft: Draft) -> int:
        """Give how many rows the statement returns on a draft; 0 where it fails."""
        dataset = to_dataset(draft, self.profile, name="seed", purpose="")
        return len(self.run(self.statement.text, dataset) or ())

    def main(self) -> Seed | None:
        """Give the first draft that returns rows; None where nothing tried does."""
        with fresh_start():
            return self._main()

    def _main(self) -> Seed | None:
        tried = []
        for draft in self._solutions():
            rows = self.count(draft)
            if rows:
                return Seed(draft=draft, purpose="a row the statement returns", rows=rows)
            tried.append(draft)
        for draft in tried:
            grown = grow(draft, self.form, lambda each: self.count(each) > 0)
            if grown is not None:
                grown = shrink(grown, lambda each: self.count(each) > 0)
                return Seed(draft=grown, purpose="rows the statement returns", rows=self.count(grown))
        return None

    def _solutions(self) -> Iterator[Draft]:
        for loose in (False, True):
            search = self._search(loose=loose)
            for seed in range(_TRIES):
                solved = search.solve(seed=seed, hard=seed < _TRIES - 1)
                if solved is not None and solved.draft:
                    yield apply_counts(solved, self.form)

    def _search(self, *, loose: bool) -> Search:
        return Search(build_problem(self.statement, self.form, self.profile, loose=loose))

    def goals(self) -> Iterator[Seed]:
        """Give one seed for each goal that can be reached, also those on which nothing is returned."""
        with fresh_start():
            yield from list(self._goals())

    def _goals(self) -> Iterator[Seed]:
        search = self._search(loose=False)
        for number, goal in enumerate(search.problem.goals[:_MOST_GOALS]):
            solved = search.solve(wish=goal.wish, seed=number + 10, hard=False)
            if solved is not None and solved.draft:
                draft = apply_counts(solved, self.form)
                yield Seed(draft=draft, purpose=goal.text, rows=self.count(draft))
