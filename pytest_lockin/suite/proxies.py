"""The collector and items that stand in for a suite in the controlling pytest; none of its code is here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.mark.structures import Mark

from pytest_lockin.errors import LockinError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pytest_lockin.model.messages import Collected, PhaseDone
    from pytest_lockin.model.suite import Case, Suite


class _Group(pytest.Collector):
    """A collector whose children are known already; `failure` is its own collection report, if it failed."""

    children: list[pytest.Collector | pytest.Item]
    failure: str = ""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Return the children, in the order the worker collected them."""
        return self.children


class SuiteClass(_Group):
    """A test class of a suite."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.children = []


class SuiteModule(pytest.File):
    """A suite's test file; collecting it asks the worker."""

    failure: str = ""

    def __init__(
        self,
        *,
        suite: Suite,
        ask: Callable[[Suite], Collected],
        run_phase: Callable[[SuiteCase, str], PhaseDone],
        **keywords: Any,
    ) -> None:
        super().__init__(**keywords)
        self.suite = suite
        self._ask = ask
        self.run_phase = run_phase

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Ask the worker what the suite holds and build the same tree of stand-ins."""
        collected = self._ask(self.suite)
        tree = _Tree(self)
        for index, case in enumerate(collected.cases):
            tree.add(case, index)
        for report in collected.reports:
            tree.add_report(report)
        return tree.top

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override]
        """A worker that cannot start is told in words, not by a traceback."""
        if isinstance(excinfo.value, LockinError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)


class SuiteCase(pytest.Item):
    """One case; each phase asks the worker and keeps the report it sent.

    Hooks of a project's conftest see it too: what they commonly ask of a test function is there, and None
    where it would be an object of the suite.
    """

    cls = function = instance = module = obj = None

    def __init__(self, *, case: Case, module: SuiteModule, index: int, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.case = case
        self.suite_module = module
        self.index = index
        self.next_case = ""
        self.set_up = False
        self.pending: dict[str, PhaseDone] = {}
        self.extra_keyword_matches.update(case.keywords)
        self.fixturenames = list(case.fixtures)
        self.funcargs: dict[str, Any] = {}
        for mark in case.marks:
            args = tuple(json.loads(mark.args_json))
            self.own_markers.append(Mark(mark.name, args, json.loads(mark.kwargs_json), _ispytest=True))
            self.keywords[mark.name] = True

    def setup(self) -> None:
        """Run the worker's setup phase."""
        self.set_up = True
        self._ask("setup")

    def runtest(self) -> None:
        """Run the worker's call phase."""
        self._ask("call")

    def teardown(self) -> None:
        """Run the worker's teardown phase, when its setup was run."""
        if self.set_up:
            self.set_up = False
            self._ask("teardown")

    def _ask(self, when: str) -> None:
        self.pending.pop(when, None)
        try:
            self.pending[when] = self.suite_module.run_phase(self, when)
        except BaseException:
            # The worker in which the case was set up is gone: nothing is left to tear down.
            self.set_up = False
            raise

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The place pytest prints; from the worker."""
        path = self.config.rootpath / self.case.path if self.case.path else self.path
        return path, (None if self.case.line < 0 else self.case.line), self.case.domain or self.name


class _Tree:
    """Builds classes and cases under a module from the names the worker sent."""

    def __init__(self, module: SuiteModule) -> None:
        self._module = module
        self.top: list[pytest.Item | pytest.Collector] = []
        self._classes: dict[tuple[str, ...], SuiteClass] = {}

    def add(self, case: Case, index: int) -> None:
        """Add a case below its classes."""
        *classes, name = case.names
        parent, children = self._parent(tuple(classes))
        item = SuiteCase.from_parent(
            parent, name=name, nodeid=case.id, case=case, module=self._module, index=index
        )
        children.append(item)

    def add_report(self, report: str) -> None:
        """Hang a failed or skipped collection report where the worker's collector stood."""
        nodeid = json.loads(report)["nodeid"]
        _, *names = nodeid.split("::")
        if not names:
            self._module.failure = report
            return
        parent, _ = self._parent(tuple(names))
        parent.failure = report

    def _parent(self, names: tuple[str, ...]) -> tuple[Any, list[Any]]:
        if not names:
            return self._module, self.top
        if names not in self._classes:
            parent, siblings = self._parent(names[:-1])
            node = SuiteClass.from_parent(parent, name=names[-1])
            self._classes[names] = node
            siblings.append(node)
        node = self._classes[names]
        return node, node.children


def restore_order(items: list[pytest.Item]) -> None:
    """Give each suite's items the order the worker had them in, in the places they hold."""
    places: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        if isinstance(item, SuiteCase):
            places.setdefault(item.suite_module.suite.id, []).append(place)
    for held in places.values():
        ordered = sorted((items[place] for place in held), key=_index)
        for place, item in zip(held, ordered, strict=True):
            items[place] = item


def _index(item: pytest.Item) -> int:
    return item.index if isinstance(item, SuiteCase) else 0


def cases_after(item: SuiteCase, items: list[pytest.Item]) -> Iterator[SuiteCase]:
    """The cases of the same suite that come later in the session."""
    later = False
    for other in items:
        if other is item:
            later = True
        elif later and isinstance(other, SuiteCase) and other.suite_module is item.suite_module:
            yield other
