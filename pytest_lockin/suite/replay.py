"""Calls of the entry point kept so that they can be made again, and what changed when they are.

During the clean run every call is recorded with what it was given; its tables come back from the frame
store, everything else is the very object. During trials calls are only watched: nothing is materialised
until somebody asks what a call returned.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.answers import stands_alone
from pytest_lockin.engines.entry import split_result
from pytest_lockin.errors import LockinError
from pytest_lockin.frames import Rules, Tolerance, compare
from pytest_lockin.frames.store import digest_frame
from pytest_lockin.model.agreement import OrderDiffers
from pytest_lockin.model.suite import RaisedAt
from pytest_lockin.suite.observe import Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_lockin.engines.base import Engine
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.frames.keep import FrameStore
    from pytest_lockin.model.suite import StoredFrame
    from pytest_lockin.suite.reach import Line, LineTrace

# Larger inputs are sent to a Connect server as artifacts of its session, which a reset takes away.
_KEPT_BYTES = 200_000
_EXACT = Rules(floats=Tolerance(relative=0.0, absolute=0.0), strict_zero=True)
_USUAL = Rules()


class Mode(StrEnum):
    """What the recorder does with a call."""

    RECORD = "record"
    WATCH = "watch"
    WRECK = "wreck"


class Change(IntEnum):
    """How far a call's outcome is from the original's; the larger, the farther."""

    NONE = 0
    FLAGS = 1
    """Only nullability or metadata of the schema: a case may look at it; no reader calls it changed."""
    ORDER = 2
    CONTENT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a call returned, materialised: (part name, table, digest) for each DataFrame."""

    parts: tuple[tuple[str, Frame, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The call raised, or materialising its output did."""

    type: str
    message: str
    at: RaisedAt
    error: BaseException


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque:
    """The call returned something that is not made of DataFrames."""

    type: str


Result = Output | Failure | Opaque


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """Stands for a table in a recorded call's arguments.

    `frame` is the very DataFrame, where it means the same whatever is done to the session; else it is None.
    """

    stored: StoredFrame
    frame: Any = field(default=None, compare=False)


@dataclass(slots=True, kw_only=True)
class Call:
    """One call of the entry point; what it returned is materialised at most once."""

    function: Callable[..., Any]
    value: Any = None
    error: BaseException | None = None
    result: Result | None = None
    arguments: inspect.BoundArguments | None = None
    key: str = ""
    lines: set[Line] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class Input:
    """One distinct observed input, with what the original makes of it.

    Attributes:
        replayable: replaying the original gave the recorded output every time.
        exact: every replay gave it bit for bit, in the same order, so that floats are compared exactly.
        original: what the original returns on it, not materialised; its plan is compared with others'.
        sorted_by: for each part the columns (position, descending) its rows were sorted by in every replay.
    """

    call: Call
    lines: set[Line] = field(default_factory=set)
    cases: list[str] = field(default_factory=list)
    replayable: bool = False
    exact: bool = False
    sorted_by: tuple[tuple[tuple[int, bool], ...], ...] = ()
    original: Any = None


class TrialRecorder(Recorder):
    """The recorder of a trial worker."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.mode = Mode.RECORD
        self.calls: list[Call] = []
        self.trace: LineTrace | None = None
        self.wreck: Callable[[Any], Any] | None = None

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        call = Call(function=function)
        if self.mode is Mode.RECORD:
            self._note_arguments(call, args, kwargs)
        outer = self.trace.bucket if self.trace else None
        self.calls.append(call)
        self._depth += 1
        if self.trace is not None:
            self.trace.bucket = call.lines
        try:
            call.value = function(*args, **kwargs)
            if self.mode is Mode.WRECK and self.wreck is not None:
                call.value = self.wreck(call.value)
        except BaseException as error:
            call.error = error
            raise
        finally:
            self._depth -= 1
            if self.trace is not None and outer is not None:
                self.trace.bucket = outer
        if self.mode is Mode.RECORD:
            materialise(self._engine, call)
        return call.value

    def _note_arguments(self, call: Call, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Keep what the call was given, tables as slots; without them the call cannot be made again."""
        try:
            signature = inspect.signature(call.function)
            bound = signature.bind(*args, **kwargs)
        except (TypeError, ValueError):
            return
        words: list[str] = []
        kept: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            slotted = self._slot(value, words)
            if slotted is _LOST:
                return
            kept[name] = slotted
            words.append(f"{name}={self._word(slotted)}")
        call.key = "|".join(words)
        call.arguments = inspect.BoundArguments(signature, kept)

    def _slot(self, value: Any, words: list[str]) -> Any:
        if self._engine.is_frame(value):
            stored = self._keep(value)
            if stored is None or not stored.kept:
                return _LOST
            return Slot(stored=stored, frame=value if stands_alone(self._engine, value) else None)
        if not isinstance(value, Mapping):
            return value
        parts = {key: self._slot(each, words) for key, each in value.items()}
        return _LOST if any(part is _LOST for part in parts.values()) else parts

    def _word(self, value: Any) -> str:
        """Text that is the same for the same value; an object without one is only the same as itself."""
        if isinstance(value, Slot):
            return value.stored.digest
        if isinstance(value, dict):
            return "{" + ",".join(f"{key!r}:{self._word(each)}" for key, each in value.items()) + "}"
        if isinstance(value, (bool, int, float, str, bytes, type(None))):
            return repr(value)
        return f"{type(value).__name__}@{id(value)}"


_LOST: Any = object()


def materialise(engine: Engine, call: Call) -> Result:
    """What the call gave; never raises."""
    if call.result is None:
        call.result = _materialise(engine, call)
    return call.result


def _materialise(engine: Engine, call: Call) -> Result:
    if call.error is not None:
        return _failure(call.error, RaisedAt.CALL)
    parts = split_result(engine, call.value)
    if parts is None:
        return Opaque(type=type(call.value).__name__)
    try:
        with unheard():
            frames = [(name, engine.to_frame(part)) for name, part in parts]
            return Output(parts=tuple((name, frame, digest_frame(frame)) for name, frame in frames))
    except Exception as error:  # noqa: BLE001 - the output's own failure is a finding
        return _failure(error, RaisedAt.OUTPUT)


def _failure(error: BaseException, at: RaisedAt) -> Failure:
    return Failure(type=type(error).__name__, message=first_line(error), at=at, error=error)


def first_line(error: BaseException) -> str:
    """The first line of what an exception says."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else ""


@contextlib.contextmanager
def unheard() -> Iterator[None]:
    """Warnings of our own runs are not the suite's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Replayer:
    """Makes recorded calls again, on the tables they had where those still stand, else on rebuilt ones."""

    def __init__(self, engine: Engine, store: FrameStore) -> None:
        self._engine = engine
        self._store = store
        self._tables: dict[str, Any] = {}
        self._steady = True

    def forget(self) -> None:
        """Forget what a reset of the session may have taken away: every table, rebuilt or recorded."""
        self._tables.clear()
        self._steady = False

    def replay(self, call: Call) -> Result:
        """Make the call again with the function as it is now, and look at what it gave; never raises.

        Raises:
            FrameError: a table cannot be rebuilt.
        """
        again = self.call_again(call)
        return Opaque(type="call") if again is None else materialise(self._engine, again)

    def call_again(self, call: Call) -> Call | None:
        """Make the call again and look at nothing yet; None where it was not recorded with what it was given.

        Raises:
            FrameError: a table cannot be rebuilt.
        """
        arguments = call.arguments
        if arguments is None:
            return None
        rebuilt = {name: self._fill(value) for name, value in arguments.arguments.items()}
        bound = inspect.BoundArguments(arguments.signature, rebuilt)
        again = Call(function=call.function)
        with unheard():
            try:
                again.value = call.function(*bound.args, **bound.kwargs)
            except Exception as error:  # noqa: BLE001 - the program's failure is a finding
                again.error = error
        return again

    def _fill(self, value: Any) -> Any:
        if isinstance(value, Slot):
            return value.frame if value.frame is not None and self._steady else self._table(value.stored)
        if isinstance(value, dict):
            return {key: self._fill(each) for key, each in value.items()}
        return value

    def _table(self, stored: StoredFrame) -> Any:
        known = self._tables.get(stored.digest)
        if known is None:
            known = self._engine.from_frame(self._store.load(stored))
            if stored.size <= _KEPT_BYTES:
                self._tables[stored.digest] = known
        return known


def find_change(known: Input, found: Result) -> Change:
    """How far what came back is from what the original gives on this input."""
    expected = known.call.result
    if isinstance(expected, Failure) or isinstance(found, Failure):
        return _failures_differ(expected, found)
    if not isinstance(expected, Output) or not isinstance(found, Output):
        return Change.CONTENT
    if [part[0] for part in expected.parts] != [part[0] for part in found.parts]:
        return Change.CONTENT
    changes = [
        _part_change(known, place, mine[1], theirs[1])
        for place, (mine, theirs) in enumerate(zip(expected.parts, found.parts, strict=True))
        if mine[2] != theirs[2]
    ]
    return max(changes, default=Change.NONE)


def _failures_differ(expected: Result | None, found: Result) -> Change:
    if isinstance(expected, Failure) and isinstance(found, Failure):
        same = (expected.type, expected.message, expected.at) == (found.type, found.message, found.at)
        return Change.NONE if same else Change.CONTENT
    return Change.CONTENT


def _part_change(known: Input, place: int, mine: Frame, theirs: Frame) -> Change:
    if not same_content(mine, theirs, exact=known.exact):
        return Change.CONTENT
    ordered = same_rows_in_order(mine, theirs) if known.exact else _keeps_order(known, place, theirs)
    if not ordered:
        return Change.ORDER
    return Change.NONE if mine.schema_json == theirs.schema_json else Change.FLAGS


def _keeps_order(known: Input, place: int, frame: Frame) -> bool:
    wanted = known.sorted_by[place] if place < len(known.sorted_by) else ()
    kept = set(find_sorting(frame))
    return all(each in kept for each in wanted)


def same_content(mine: Frame, theirs: Frame, *, exact: bool) -> bool:
    """Whether two tables have the same columns and the same rows, in any order."""
    try:
        differences = compare(mine, theirs, _EXACT if exact else _USUAL)
    except LockinError:
        return False
    return all(isinstance(each, OrderDiffers) for each in differences)


def same_rows_in_order(mine: Frame, theirs: Frame) -> bool:
    """Whether two tables hold the same rows one after the other."""
    return mine.rows == theirs.rows and repr(mine.table.to_pylist()) == repr(theirs.table.to_pylist())


def find_sorting(frame: Frame) -> tuple[tuple[int, bool], ...]:
    """Columns (position, descending) whose values go one way only from row to row, and are not all equal."""
    found = []
    for position in range(frame.table.num_columns):
        values = frame.table.column(position).to_pylist()
        try:
            keys = [(value is not None, value) for value in values]
            pairs = list(itertools.pairwise(keys))
            rising = all(_at_most(a, b) for a, b in pairs)
            falling = all(_at_most(b, a) for a, b in pairs)
        except TypeError:
            continue
        if rising != falling:
            found.append((position, falling))
    return tuple(found)


def _at_most(one: tuple[bool, Any], other: tuple[bool, Any]) -> bool:
    if not one[0] or not other[0]:
        return one[0] <= other[0]
    return bool(one[1] <= other[1])


def settle(known: Input, results: list[Result]) -> None:
    """Decide from replays of the original what can be believed about this input."""
    expected = known.call.result
    if isinstance(expected, Failure):
        known.replayable = known.exact = all(
            _failures_differ(expected, each) is Change.NONE for each in results
        )
        return
    if not isinstance(expected, Output) or not all(isinstance(each, Output) for each in results):
        return
    outputs = [expected, *(each for each in results if isinstance(each, Output))]
    digests = {tuple(part[2] for part in output.parts) for output in outputs}
    known.exact = len(digests) == 1
    known.replayable = known.exact or all(_same_parts(expected, each) for each in outputs[1:])
    if not known.exact and known.replayable:
        sortings = [[set(find_sorting(part[1])) for part in output.parts] for output in outputs]
        known.sorted_by = tuple(
            tuple(sorted(set.intersection(*(each[place] for each in sortings))))
            for place in range(len(expected.parts))
        )


def _same_parts(one: Output, other: Output) -> bool:
    return [part[0] for part in one.parts] == [part[0] for part in other.parts] and all(
        same_content(mine[1], theirs[1], exact=False)
        for mine, theirs in zip(one.parts, other.parts, strict=True)
    )


__all__ = [
    "Call", "Change", "Failure", "Input", "Mode", "Opaque", "Output", "Replayer", "Result", "TrialRecorder",
    "find_change", "first_line", "materialise", "settle", "unheard",
]  # fmt: skip
