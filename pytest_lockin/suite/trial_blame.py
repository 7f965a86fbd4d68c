"""Whose failure an exception is: the engine's, the program's, or the case's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_lockin.suite.replay import Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from pytest_lockin.suite.replay import Call, Result

_GONE_TYPES = frozenset({"Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError"})
# Another worker that attaches to the shared JVM cancels jobs it finds running.
_GONE_WORDS = (
    "cancelled as part of cancellation of all jobs",
    "SparkContext was shut down",
    "StatusCode.UNAVAILABLE",
    "Answer from Java side is empty",
)


def is_engine_trouble(error: BaseException) -> bool:
    """Whether an exception comes from an engine that is gone or was told to stop, whatever program ran."""
    return any(
        type(each).__name__ in _GONE_TYPES or any(words in str(each) for words in _GONE_WORDS)
        for each in _chain(error)
    )


def is_program_trouble(
    error: BaseException | None, calls: Collection[Call], results: Iterable[Result | None]
) -> bool:
    """Whether a case failed because its program did: a call raised, or its output did when looked at.

    An output that fails raises anew each time it is asked for, so there the exception's type has to do.
    A failed assertion is the case's own unless a call raised that very exception.

    Args:
        error: what the case failed with; None says nothing, and is not the program's.
        calls: what the case rests on.
        results: what calls gave; asked for only where the calls alone do not decide.
    """
    chain = _chain(error)
    if any(call.error is each for call in calls for each in chain):
        return True
    if isinstance(error, (AssertionError, pytest.fail.Exception)):
        return False
    kinds = {type(each) for each in chain}
    return any(isinstance(each, Failure) and type(each.error) in kinds for each in results)


def _chain(error: BaseException | None) -> list[BaseException]:
    """The exception, its causes and contexts, and the members of a group."""
    found: list[BaseException] = []
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is None or any(each is other for other in found):
            continue
        found.append(each)
        waiting += [each.__cause__, each.__context__]
        if isinstance(each, BaseExceptionGroup):
            waiting += each.exceptions
    return found


__all__ = ["is_engine_trouble", "is_program_trouble"]
