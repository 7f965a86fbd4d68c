"""Trials beside the answers of earlier runs: tried is what an edit touched, on the cases it touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_lockin.model.trial import TrialOutcome, Tried
from pytest_lockin.trials.resume import Again, combine
from pytest_lockin.trials.run import run_trials

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pytest_lockin.model.alternative import Mutant
    from pytest_lockin.trials.cache import TrialCache
    from pytest_lockin.trials.plan import TrialPlan
    from pytest_lockin.trials.run import TrialHost, TrialRun


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRun:
    """What became of every alternative.

    Attributes:
        tried: by id, in the order given.
        cached: ids whose answer is an earlier run's.
        run: what was run; `None` members where nothing was.
    """

    tried: dict[str, Tried]
    cached: frozenset[str]
    run: TrialRun


def run_kept(
    mutants: Sequence[Mutant],
    open_host: Callable[[tuple[str, ...]], TrialHost],
    plan: TrialPlan,
    cache: TrialCache | None,
    note: Callable[[int, Tried], None] = lambda _done, _tried: None,
) -> KeptRun:
    """Try the alternatives whose answer no earlier run gave.

    `open_host` is given the cases the worker has to know (all where there are none). `note` is called with
    the number of answers there are and each new one, from several threads.
    """
    return _Resumed(mutants, open_host, plan, cache, note).run()


class _Resumed:
    def __init__(
        self,
        mutants: Sequence[Mutant],
        open_host: Callable[[tuple[str, ...]], TrialHost],
        plan: TrialPlan,
        cache: TrialCache | None,
        note: Callable[[int, Tried], None],
    ) -> None:
        self._mutants = tuple(mutants)
        self._open_host = open_host
        self._plan = plan
        self._cache = cache
        self._note = note
        self._known: dict[str, Tried] = {}
        self._again: dict[str, Again] = {}
        self._answers: dict[str, Tried] = {}

    def run(self) -> KeptRun:
        self._look_up()
        left = [mutant for mutant in self._mutants if mutant.id not in self._known]
        anew = [mutant for mutant in left if mutant.id not in self._again]
        cases = () if anew else self._cases_again()
        run = self._run(left, cases)
        if run.refusal and cases:
            # A few cases alone may prove nothing (none of them calls the entry point): all of them may.
            run = self._run(left, ())
        lost = [mutant for mutant in left if self._is_lost(mutant)]
        if lost and not run.refusal:
            for mutant in lost:
                del self._again[mutant.id]
            again = self._run(lost, ())
            run.trouble.extend(again.trouble)
            run.refusal = again.refusal
        not_run = {m.id: Tried(id=m.id, outcome=TrialOutcome.NOT_RUN) for m in left}
        found = not_run | self._answers | self._known
        tried = {mutant.id: found[mutant.id] for mutant in self._mutants}
        return KeptRun(tried=tried, cached=frozenset(self._known), run=run)

    def _look_up(self) -> None:
        for mutant in self._mutants if self._cache is not None else ():
            assert self._cache is not None  # noqa: S101 - asked above
            found = self._cache.find(mutant.id, matrix=self._plan.matrix)
            if isinstance(found, Again):
                self._again[mutant.id] = found
            elif found is not None:
                self._known[mutant.id] = found

    def _cases_again(self) -> tuple[str, ...]:
        wanted = {case for again in self._again.values() for case in again.cases}
        ids = self._cache.now.ids if self._cache is not None else ()
        return tuple(case for case in ids if case in wanted)

    def _run(self, mutants: Sequence[Mutant], cases: tuple[str, ...]) -> TrialRun:
        only = {mutant.id: self._again[mutant.id].cases for mutant in mutants if mutant.id in self._again}
        return run_trials(mutants, lambda: self._open_host(cases), self._plan, only=only, keep=self._keep)

    def _keep(self, mutant: Mutant, tried: Tried) -> None:
        again = self._again.get(mutant.id)
        whole = combine(again, tried, self._cache.now) if again and self._cache else tried
        if whole is None:
            return
        self._answers[mutant.id] = whole
        if self._cache is not None:
            self._cache.keep(whole, matrix=self._plan.matrix)
        self._note(len(self._known) + len(self._answers), whole)

    def _is_lost(self, mutant: Mutant) -> bool:
        """Whether it was tried on the case that noticed it before, and that case does so no more."""
        again = self._again.get(mutant.id)
        return (
            again is not None and again.kept.outcome is TrialOutcome.KILLED and mutant.id not in self._answers
        )


__all__ = ["KeptRun", "run_kept"]
