"""Recording every call of the entry point in a worker, without the program or its tests noticing.

The candidate's module is recognised when its source is executed, by whatever import; its entry point is then
replaced in the module by a recorder before anyone can import it by name. The recorder hands back the very
object the program returned, and nothing it does itself ever raises into the test.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.machinery
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.entry import split_result
from pytest_lockin.model.suite import (
    Argument,
    CallOutcome,
    EntryPoint,
    Observation,
    Raised,
    RaisedAt,
    Returned,
    ReturnedOther,
    StoredFrame,
)

if TYPE_CHECKING:
    from types import ModuleType

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.frames.keep import FrameStore

Answer = Callable[[tuple[Argument, ...]], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a call was given: its tables, and all else as text; `?` for lack of any."""

    arguments: tuple[Argument, ...] = ()
    others: str = "?"


class Recorder:
    """Records calls of one entry point; `answer`, when given, replaces the program (fidelity)."""

    def __init__(
        self,
        engine: Engine,
        store: FrameStore,
        entry_point: EntryPoint,
        *,
        inputs: bool = True,
        answer: Answer | None = None,
    ) -> None:
        self._engine = engine
        self._store = store
        self._entry_point = entry_point
        self._inputs = inputs
        self._answer = answer
        self._depth = 0
        # One materialisation per DataFrame object; the object is held so that its id stays its own.
        self._seen: dict[int, tuple[Any, StoredFrame]] = {}
        self.place = "import"
        self.fixture = ""
        self.observations: list[Observation] = []
        self.installed = False

    def install_into(self, module: ModuleType) -> None:
        """Replace the entry point in a candidate's module by a recorder around it, once."""
        function = module.__dict__.get(self._entry_point.function)
        if not callable(function) or getattr(function, "__lockin_recorder__", None) is self:
            return
        setattr(module, self._entry_point.function, self._wrap(function))
        self.installed = True

    def _wrap(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            # Only the outermost call is the suite's; recursion belongs to the program.
            if self._depth:
                return function(*args, **kwargs)
            return self._call(function, args, kwargs)

        recorded.__lockin_recorder__ = self  # type: ignore[attr-defined]
        return recorded

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = self._read_given(function, args, kwargs)
        self._depth += 1
        try:
            result = function(*args, **kwargs) if self._answer is None else self._answer(given.arguments)
        except BaseException as error:
            self._add(given, _raised(error, RaisedAt.CALL))
            raise
        finally:
            self._depth -= 1
        self._add(given, self._outcome(result))
        return result

    def _add(self, given: Given, outcome: CallOutcome) -> None:
        self.observations.append(
            Observation(
                number=len(self.observations),
                place=self.place,
                fixture=self.fixture,
                arguments=given.arguments,
                outcome=outcome,
                others=given.others,
            )
        )

    def _read_given(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Given:
        if not self._inputs and self._answer is None:
            return Given()
        try:
            bound = inspect.signature(function).bind(*args, **kwargs).arguments
        except (TypeError, ValueError):
            return Given()
        found: list[Argument] = []
        others: list[str] = []
        for parameter, value in bound.items():
            parts = value.items() if isinstance(value, Mapping) else (("", value),)
            for key, part in parts:
                stored = self._keep(part) if self._engine.is_frame(part) else None
                if stored is not None:
                    found.append(Argument(parameter=parameter, key=str(key), frame=stored))
                else:
                    others.append(f"{parameter}.{key}={self._write(part)}")
        return Given(arguments=tuple(found), others=" ".join(others))

    def _write(self, value: Any) -> str:
        """Text that is equal where the value is, or `?`."""
        if value is getattr(self._engine, "_session", self):
            return "session"
        return repr(value) if isinstance(value, (bool, int, float, str, bytes, type(None))) else "?"

    def _keep(self, dataframe: Any) -> StoredFrame | None:
        """Store an input table; None where it cannot be materialised (the program will meet that itself)."""
        known = self._seen.get(id(dataframe))
        if known is not None:
            return known[1]
        try:
            with _unheard():
                stored = self._store.keep_if_room(self._engine.to_frame(dataframe))
        except Exception:  # noqa: BLE001 - never raises into the test
            return None
        self._seen[id(dataframe)] = (dataframe, stored)
        return stored

    def _outcome(self, result: Any) -> CallOutcome:
        parts = split_result(self._engine, result)
        if parts is None:
            return ReturnedOther(type=type(result).__name__)
        try:
            with _unheard():
                frames = [(name, self._engine.to_frame(part)) for name, part in parts]
                return Returned(
                    parts=tuple((name, self._store.keep_if_room(frame)) for name, frame in frames)
                )
        except Exception as error:  # noqa: BLE001 - the output's own failure is a finding, not the test's
            return _raised(error, RaisedAt.OUTPUT)


def _raised(error: BaseException, at: RaisedAt) -> Raised:
    lines = str(error).strip().splitlines()
    return Raised(type=type(error).__name__, message=lines[0][:500] if lines else "", at=at)


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """Warnings of our own reads are not the suite's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def watch_candidate(recorder: Recorder, entry_point: EntryPoint, folder: Path) -> None:
    """Install the recorder whenever the candidate's source is executed, under whatever module name.

    Source files are executed by one method of one class, also by `spec_from_file_location`; so that method
    is wrapped. What it misses: source run by `exec` or `runpy`, which leaves the entry point unrecorded and
    the suite without observations, and that is reported.
    """
    wanted = candidate_file(entry_point, folder)
    loader = importlib.machinery.SourceFileLoader
    original = loader.exec_module

    @functools.wraps(original)
    def exec_module(self: importlib.machinery.SourceFileLoader, module: ModuleType) -> None:
        original(self, module)
        named = module.__name__ == entry_point.module
        if _same_file(Path(self.path), wanted) if wanted is not None else named:
            recorder.install_into(module)

    # CPython trims import machinery from tracebacks by file name; a frame of ours in the middle would leave
    # the rest of it in what a user reads about an import that failed.
    wrapper: Any = exec_module
    wrapper.__code__ = wrapper.__code__.replace(co_filename=original.__code__.co_filename)
    loader.exec_module = wrapper  # type: ignore[method-assign]


def candidate_file(entry_point: EntryPoint, folder: Path) -> Path | None:
    """The candidate's source beside the suite, or None where the module lies elsewhere."""
    path = folder.joinpath(*entry_point.module.split("."))
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _same_file(left: Path, right: Path) -> bool:
    try:
        return left.samefile(right)
    except OSError:
        return False
