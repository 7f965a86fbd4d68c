"""Model values as plain data (for the wire and for files) and back, with every type checked on the way in.

Dataclasses become objects; a member of a union carries its type's name under `$type`. Nothing from outside
is believed: a value that does not fit its annotation is refused.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import types
import typing
from typing import Any

_TAG = "$type"


class PlainError(ValueError):
    """Plain data does not fit the type it is read as."""


def to_plain(value: Any) -> Any:
    """Turn a model value into dicts, lists, strings, numbers, bytes, booleans and None."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain: dict[str, Any] = {_TAG: type(value).__name__}
        for field in dataclasses.fields(value):
            plain[field.name] = to_plain(getattr(value, field.name))
        return plain
    if isinstance(value, (tuple, list)):
        return [to_plain(each) for each in value]
    if isinstance(value, enum.Enum):
        return value.value
    return value


def from_plain(kind: Any, plain: Any) -> Any:
    """Read plain data as a value of `kind`: a model class, a union of them, a tuple, an enum or a scalar.

    Raises:
        PlainError: it does not fit; the message names the place.
    """
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _from_union(typing.get_args(kind), plain)
    if origin is tuple:
        return _from_list(typing.get_args(kind), plain)
    if dataclasses.is_dataclass(kind):
        return _from_object(typing.cast("type", kind), plain)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        try:
            return kind(plain)
        except ValueError as error:
            raise PlainError(str(error)) from error
    return _scalar(kind, plain)


def _scalar(kind: Any, plain: Any) -> Any:
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if kind in (None, type(None)):
        if plain is None:
            return None
    elif type(plain) is kind:
        return plain
    name = getattr(kind, "__name__", str(kind))
    message = f"expected {name}, found {type(plain).__name__}"
    raise PlainError(message)


def _from_union(kinds: tuple[Any, ...], plain: Any) -> Any:
    if plain is None and type(None) in kinds:
        return None
    classes = [kind for kind in kinds if dataclasses.is_dataclass(kind)]
    if isinstance(plain, dict) and classes:
        tag = plain.get(_TAG)
        for kind in classes:
            if typing.cast("type", kind).__name__ == tag:
                return from_plain(kind, plain)
    for kind in kinds:
        if kind not in classes and kind is not type(None):
            with contextlib.suppress(PlainError):
                return from_plain(kind, plain)
    names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
    message = f"expected one of {names}, found {type(plain).__name__}"
    raise PlainError(message)


def _from_list(kinds: tuple[Any, ...], plain: Any) -> tuple[Any, ...]:
    if not isinstance(plain, (list, tuple)):
        message = f"expected a list, found {type(plain).__name__}"
        raise PlainError(message)
    if len(kinds) == 2 and kinds[1] is Ellipsis:  # noqa: PLR2004 - `tuple[X, ...]`
        return tuple(from_plain(kinds[0], each) for each in plain)
    if len(kinds) != len(plain):
        message = f"expected {len(kinds)} values, found {len(plain)}"
        raise PlainError(message)
    return tuple(from_plain(kind, each) for kind, each in zip(kinds, plain, strict=True))


def _from_object(kind: type, plain: Any) -> Any:
    if not isinstance(plain, dict):
        message = f"{kind.__name__}: expected an object, found {type(plain).__name__}"
        raise PlainError(message)
    tag = plain.get(_TAG, kind.__name__)
    if tag != kind.__name__:
        message = f"{kind.__name__}: found an object of type {tag}"
        raise PlainError(message)
    hints = _hints(kind)
    given = {name: value for name, value in plain.items() if name != _TAG}
    unknown = [str(name) for name in given if name not in hints]
    if unknown:
        message = f"{kind.__name__}: unknown {', '.join(sorted(unknown))}"
        raise PlainError(message)
    values = {}
    for name, value in given.items():
        try:
            values[name] = from_plain(hints[name], value)
        except PlainError as error:
            message = f"{kind.__name__}.{name}: {error}"
            raise PlainError(message) from error
    try:
        return kind(**values)
    except TypeError as error:
        raise PlainError(str(error)) from error


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
