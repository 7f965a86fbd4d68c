"""Swapping an alternative's code into live modules, in memory, and taking it out again exactly.

The alternative is executed in a fresh namespace; what differs from a fresh execution of the original is then
transplanted into the objects the suite already holds: code, defaults and closure cells of functions (through
decorators), attributes of classes, contents of containers, partials and UDFs; constants also into the modules
that imported them by name. Where a shape does not fit, `Misfit` says so, nothing is left changed, and the
suite has to be imported again with the alternative in place.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_MISSING: Any = object()
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
# What the import machinery put there, and what executing a module adds.
_MODULE_OWN = frozenset(
    {
        "__name__", "__file__", "__package__", "__spec__", "__loader__", "__builtins__", "__cached__",
        "__path__", "__doc__", "__annotations__",
    }
)  # fmt: skip
_CLASS_OWN = frozenset(
    {
        "__dict__", "__weakref__", "__module__", "__doc__", "__annotations__", "__qualname__",
        "__firstlineno__", "__static_attributes__", "__annotate_func__", "__annotations_cache__",
        "__abstractmethods__", "_abc_impl",
    }
)  # fmt: skip
_SLOT_KINDS = (types.MemberDescriptorType, types.GetSetDescriptorType, types.WrapperDescriptorType)


class Misfit(Exception):  # noqa: N818 - not a fault: the way out is a fresh import
    """This alternative cannot be swapped in; the message says which shape did not fit."""


class ImportRaised(Exception):  # noqa: N818 - the alternative's own failure, told as an outcome
    """The alternative raised when its module was executed."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__}: {error}")
        self.error = error


class Swapper:
    """Swaps alternatives of one source file into every live module made from it.

    Args:
        modules: the live modules of that file (one, or two where it was imported under two names).
        source: the file's text as it was imported.
        readers: the other live modules of the suite's folder, which may have imported names from it.
    """

    def __init__(
        self, modules: Iterable[types.ModuleType], source: str, readers: Iterable[types.ModuleType]
    ) -> None:
        self._modules = tuple(modules)
        self._source = source
        self._readers = tuple(Reader(module) for module in readers)
        self._originals: dict[str, dict[str, Any]] = {}
        self._undo: list[Callable[[], None]] = []

    @property
    def swapped(self) -> bool:
        """Whether an alternative is in place."""
        return bool(self._undo)

    def swap(self, source: str) -> None:
        """Put an alternative in place.

        Raises:
            Misfit: some changed object cannot be transplanted; nothing is left changed.
            ImportRaised: executing the module raised; nothing is left changed.
        """
        self.restore()
        try:
            for module in self._modules:
                self._swap_module(module, source)
        except BaseException:
            self.restore()
            raise
        self._undo.append(lambda: None)
        self.clear_caches()

    def restore(self) -> None:
        """Take the alternative out; every object is as it was before, in identity and content."""
        while self._undo:
            self._undo.pop()()
        self.clear_caches()

    def clear_caches(self) -> None:
        """Empty every `functools` cache of the modules: what it holds was computed by other code."""
        for module in self._modules:
            for holder in (module, *(v for v in vars(module).values() if isinstance(v, type))):
                for value in list(vars(holder).values()):
                    clear = getattr(value, "cache_clear", None)
                    if isinstance(value, functools._lru_cache_wrapper) and clear is not None:  # noqa: SLF001
                        clear()

    def _swap_module(self, module: types.ModuleType, source: str) -> None:
        original = self._originals.get(module.__name__)
        if original is None:
            original = self._originals[module.__name__] = execute_apart(module, self._source)
        fresh = execute_apart(module, source)
        graft = Graft(module, self._undo)
        for name in [*original, *(name for name in fresh if name not in original)]:
            if name in _MODULE_OWN or same_shape(original.get(name, _MISSING), fresh.get(name, _MISSING)):
                continue
            old, new = module.__dict__.get(name, _MISSING), fresh.get(name, _MISSING)
            grafted = graft.graft(old, new, name)
            if grafted is not old:
                self._rebind(graft, module, name, grafted)

    def _rebind(self, graft: Graft, module: types.ModuleType, name: str, value: Any) -> None:
        graft.set_item(module.__dict__, name, value)
        for reader in self._readers:
            for local in reader.names_for(module, name):
                if reader.reads_at_import(local, name, module):
                    message = f"{reader.module.__name__} used {name} when it was imported"
                    raise Misfit(message)
                graft.set_item(reader.module.__dict__, local, value)
            if reader.reads_attribute_at_import(name, module):
                message = f"{reader.module.__name__} used {module.__name__}.{name} when it was imported"
                raise Misfit(message)


def execute_apart(module: types.ModuleType, source: str) -> dict[str, Any]:
    """Execute source text as this module would be, in a namespace of its own.

    Raises:
        ImportRaised: it raised, or does not compile.
    """
    try:
        code = compile(source, str(module.__file__), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise ImportRaised(error) from error
    apart = types.ModuleType(module.__name__)
    for name in ("__file__", "__package__", "__spec__", "__loader__", "__path__"):
        if hasattr(module, name):
            setattr(apart, name, getattr(module, name))
    with _standing_in(module.__name__, apart):
        try:
            exec(code, apart.__dict__)  # noqa: S102 - the program under examination, in its worker
        except Exception as error:
            raise ImportRaised(error) from error
    return apart.__dict__


@contextlib.contextmanager
def _standing_in(name: str, module: types.ModuleType) -> Iterator[None]:
    """Decorators such as `dataclass` look their module up by name while it is executed."""
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        yield
    finally:
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before


def same_shape(one: Any, other: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Whether two objects from two executions mean the same. May say no where it cannot tell; never yes."""
    if one is other or id(one) in seen:
        return True
    if type(one) is not type(other) and not (isinstance(one, type) and isinstance(other, type)):
        return False
    compare = next((way for kind, way in _WAYS if isinstance(one, kind)), _same_object)
    return compare(one, other, seen | {id(one)})


def _same_plain(one: Any, other: Any, _seen: frozenset[int]) -> bool:
    return repr(one) == repr(other)


def _same_parts(*names: str) -> Callable[[Any, Any, frozenset[int]], bool]:
    """Compare by these attributes."""

    def compare(one: Any, other: Any, seen: frozenset[int]) -> bool:
        return all(same_shape(getattr(one, name), getattr(other, name), seen) for name in names)

    return compare


def _same_items(one: Any, other: Any, seen: frozenset[int]) -> bool:
    return len(one) == len(other) and all(same_shape(a, b, seen) for a, b in zip(one, other, strict=True))


def _same_dict(one: Any, other: Any, seen: frozenset[int]) -> bool:
    return list(map(repr, one)) == list(map(repr, other)) and _same_items(
        list(one.values()), list(other.values()), seen
    )


def _same_cached(one: Any, other: Any, seen: frozenset[int]) -> bool:
    return (
        same_shape(one.__wrapped__, other.__wrapped__, seen)
        and one.cache_parameters() == other.cache_parameters()
    )


def _same_function(one: types.FunctionType, other: types.FunctionType, seen: frozenset[int]) -> bool:
    return (
        one.__code__ == other.__code__
        and same_shape(one.__defaults__, other.__defaults__, seen)
        and same_shape(one.__kwdefaults__, other.__kwdefaults__, seen)
        and same_shape(_cells(one), _cells(other), seen)
        and same_shape(getattr(one, "__wrapped__", None), getattr(other, "__wrapped__", None), seen)
    )


def _cells(function: types.FunctionType) -> tuple[Any, ...]:
    contents = []
    for cell in function.__closure__ or ():
        try:
            contents.append(cell.cell_contents)
        except ValueError:
            contents.append(_MISSING)
    return tuple(contents)


def _same_class(one: type, other: type, seen: frozenset[int]) -> bool:
    if one.__module__ != other.__module__ or one.__qualname__ != other.__qualname__:
        return False
    mine, theirs = _own_attributes(one), _own_attributes(other)
    return (
        [base.__qualname__ for base in one.__bases__] == [base.__qualname__ for base in other.__bases__]
        and mine.keys() == theirs.keys()
        and all(same_shape(mine[name], theirs[name], seen) for name in mine)
    )


def _own_attributes(cls: type) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(cls).items()
        if name not in _CLASS_OWN and not isinstance(value, _SLOT_KINDS)
    }


def _same_object(one: Any, other: Any, seen: frozenset[int]) -> bool:
    """An object of any other type: by its own equality where that is plain, else by its attributes' text."""
    try:
        own: Any = type(one).__eq__
        if own is not object.__eq__ and (one == other) is True:
            return True
    except Exception:  # noqa: BLE001 - a column's == may do anything
        return False
    attributes = getattr(one, "__dict__", None)
    if attributes and type(one).__module__ == "builtins":
        return False
    if isinstance(attributes, dict) and _is_udf(one):
        return same_shape(attributes, other.__dict__, seen)
    text = repr(one)
    return " at 0x" not in text and text == repr(other)


def _is_udf(value: Any) -> bool:
    """A UDF object of either engine, or a like carrier of one function."""
    return type(value).__name__.startswith("UserDefined") and hasattr(value, "func")


_WAYS: tuple[tuple[Any, Callable[[Any, Any, frozenset[int]], bool]], ...] = (
    (_PLAIN, _same_plain),
    (types.FunctionType, _same_function),
    ((staticmethod, classmethod), _same_parts("__func__")),
    (types.MethodType, _same_parts("__func__", "__self__")),
    (property, _same_parts("fget", "fset", "fdel")),
    (type, _same_class),
    (functools.partial, _same_parts("func", "args", "keywords")),
    ((list, tuple), _same_items),
    (dict, _same_dict),
    (functools._lru_cache_wrapper, _same_cached),  # noqa: SLF001 - the only name it has
)


class Graft:
    """Transplants fresh objects into live ones of one module, noting how to undo each step."""

    def __init__(self, module: types.ModuleType, undo: list[Callable[[], None]]) -> None:
        self._module = module
        self._undo = undo
        self._done: dict[tuple[int, int], list[Any]] = {}

    def graft(self, old: Any, new: Any, place: str) -> Any:
        """Give what stands for `new` from now on: `old` itself, changed inside, wherever that is possible.

        Raises:
            Misfit: `old` has to change inside, and its shape does not allow it.
        """
        if old is new:
            return old
        known = self._done.get((id(old), id(new)))
        if known is None:
            # Ids stay an object's own only while it lives; and a cycle meets its beginning unfinished.
            known = self._done[id(old), id(new)] = [old, old, new]
            known[0] = self._graft_new(old, new, place)
        return known[0]

    def _graft_new(self, old: Any, new: Any, place: str) -> Any:
        grafted = self._graft_inside(old, new, place)
        if grafted is not _MISSING:
            return grafted
        if callable(old) and callable(new) and not isinstance(old, type):
            message = f"{place} is a {type(old).__name__} before and a {type(new).__name__} after"
            if type(old) is not type(new) or type(old).__module__ == "builtins":
                raise Misfit(message)
        return self._adopt(new)

    def _graft_inside(self, old: Any, new: Any, place: str) -> Any:
        if isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType):
            return self._graft_function(old, new, place)
        if isinstance(old, type) and isinstance(new, type):
            own = old.__module__ == self._module.__name__ == new.__module__
            return self._graft_class(old, new, place) if own else _MISSING
        return self._graft_alike(old, new, place) if type(old) is type(new) else _MISSING

    def _graft_alike(self, old: Any, new: Any, place: str) -> Any:
        ways: tuple[tuple[Any, Any], ...] = (
            ((staticmethod, classmethod), self._graft_method),
            (types.MethodType, self._graft_bound),
            (property, self._graft_property),
            (functools.partial, self._graft_partial),
            (functools._lru_cache_wrapper, self._graft_cached),  # noqa: SLF001 - the only name it has
            ((dict, list, set), self._graft_container),
        )
        way = next((way for kind, way in ways if isinstance(old, kind)), None)
        if way is not None:
            return way(old, new, place)
        if type(old) is tuple:
            return tuple(self._graft_items(old, new, place))
        if _is_udf(old):
            self._graft_attributes(old.__dict__, new.__dict__, place)
            return old
        return _MISSING

    def _graft_method(self, old: Any, new: Any, place: str) -> Any:
        self._graft_part(old.__func__, new.__func__, place)
        return old

    def _graft_bound(self, old: Any, new: Any, place: str) -> Any:
        self._graft_part(old.__func__, new.__func__, place)
        self._graft_part(old.__self__, new.__self__, place)
        return old

    def _graft_property(self, old: Any, new: Any, place: str) -> Any:
        for name in ("fget", "fset", "fdel"):
            self._graft_part(getattr(old, name), getattr(new, name), place)
        return old

    def _graft_cached(self, old: Any, new: Any, place: str) -> Any:
        if old.cache_parameters() != new.cache_parameters():
            message = f"{place} caches in another way"
            raise Misfit(message)
        self._graft_part(old.__wrapped__, new.__wrapped__, place)
        return old

    def _graft_part(self, old: Any, new: Any, place: str) -> None:
        """Graft where only a change inside is possible."""
        if not same_shape(old, new) and self.graft(old, new, place) is not old:
            message = f"{place}: a part of it is another object"
            raise Misfit(message)

    def _graft_function(self, old: types.FunctionType, new: types.FunctionType, place: str) -> Any:
        if getattr(old, "__lockin_recorder__", None) is not None:
            # The recorder stays where it is; the program is what it wraps.
            self._graft_part(old.__wrapped__, new, place)  # type: ignore[attr-defined]
            return old
        if old.__code__.co_freevars != new.__code__.co_freevars:
            message = f"{place} closes over {_names(old)} before and {_names(new)} after"
            raise Misfit(message)
        self._set(old, "__code__", new.__code__)
        self._set(old, "__defaults__", self._graft_value(old.__defaults__, new.__defaults__, place))
        self._set(old, "__kwdefaults__", self._graft_value(old.__kwdefaults__, new.__kwdefaults__, place))
        for mine, theirs in zip(old.__closure__ or (), new.__closure__ or (), strict=True):
            self._graft_cell(mine, theirs, place)
        self._graft_attributes(old.__dict__, new.__dict__, place)
        return old

    def _graft_value(self, old: Any, new: Any, place: str) -> Any:
        return old if same_shape(old, new) else self.graft(old, new, place)

    def _graft_cell(self, mine: types.CellType, theirs: types.CellType, place: str) -> None:
        try:
            old = mine.cell_contents
        except ValueError:
            old = _MISSING
        try:
            new = theirs.cell_contents
        except ValueError:
            return
        if same_shape(old, new):
            return
        grafted = self.graft(old, new, place)
        if grafted is not old:
            mine.cell_contents = grafted
            self._undo.append(lambda: _refill(mine, old))

    def _graft_attributes(self, old: dict[str, Any], new: dict[str, Any], place: str) -> None:
        for name in list(old):
            if name not in new and name not in ("__lockin_recorder__", "_judf_placeholder"):
                self.set_item(old, name, _MISSING)
        for name, value in new.items():
            before = old.get(name, _MISSING)
            if not same_shape(before, value):
                grafted = self.graft(before, value, f"{place}.{name}")
                if grafted is not before:
                    self.set_item(old, name, grafted)

    def _graft_class(self, old: type, new: type, place: str) -> Any:
        if [b.__qualname__ for b in old.__bases__] != [b.__qualname__ for b in new.__bases__]:
            message = f"class {place} has other bases"
            raise Misfit(message)
        if type(old) is not type(new) or getattr(old, "__slots__", None) != getattr(new, "__slots__", None):
            message = f"class {place} is laid out in another way"
            raise Misfit(message)
        mine, theirs = _own_attributes(old), _own_attributes(new)
        for name in (*(n for n in mine if n not in theirs), *theirs):
            before, after = mine.get(name, _MISSING), theirs.get(name, _MISSING)
            if same_shape(before, after):
                continue
            grafted = self.graft(before, after, f"{place}.{name}")
            if grafted is not before:
                self._set_attribute(old, name, grafted)
        return old

    def _set_attribute(self, owner: type, name: str, value: Any) -> None:
        before = vars(owner).get(name, _MISSING)
        try:
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
        except (AttributeError, TypeError) as error:
            message = f"{owner.__name__}.{name} cannot be set: {error}"
            raise Misfit(message) from error
        undo = functools.partial(delattr, owner, name) if before is _MISSING else None
        self._undo.append(undo or functools.partial(setattr, owner, name, before))

    def _graft_partial(self, old: Any, new: Any, place: str) -> Any:
        self._graft_part(old.func, new.func, place)
        before = old.__reduce__()[2]
        old.__setstate__((old.func, self._graft_value(old.args, new.args, place), dict(new.keywords), {}))
        self._undo.append(lambda: old.__setstate__(before))
        return old

    def _graft_container(self, old: Any, new: Any, place: str) -> Any:
        before = old.copy()
        if isinstance(old, dict):
            filled: Any = {
                key: self._graft_value(old.get(key, _MISSING), value, f"{place}[{key!r}]")
                for key, value in new.items()
            }
            self._undo.append(functools.partial(_refill_container, old, before))
            old.clear()
            old.update(filled)
        elif isinstance(old, list):
            self._undo.append(lambda: old.__setitem__(slice(None), before))
            old[:] = self._graft_items(old, new, place)
        else:
            self._undo.append(functools.partial(_refill_container, old, before))
            old.clear()
            old.update(new)
        return old

    def _graft_items(self, old: Any, new: Any, place: str) -> list[Any]:
        kept = list(old) + [_MISSING] * (len(new) - len(old))
        return [
            self._graft_value(before, value, f"{place}[{number}]")
            for number, (before, value) in enumerate(zip(kept, new, strict=False))
        ]

    def _adopt(self, value: Any) -> Any:
        """Bring a fresh object home: functions to the live globals, instances to the live class."""
        if isinstance(value, types.FunctionType) and value.__globals__ is not self._module.__dict__:
            if value.__module__ != self._module.__name__:
                return value
            home = types.FunctionType(
                value.__code__, self._module.__dict__, value.__name__, value.__defaults__, value.__closure__
            )
            home.__kwdefaults__ = value.__kwdefaults__
            home.__dict__.update(value.__dict__)
            return home
        live = self._live_class(type(value))
        if live is not None:
            try:
                object.__setattr__(value, "__class__", live)
            except TypeError as error:
                message = f"an instance of {live.__name__} cannot be brought over: {error}"
                raise Misfit(message) from error
        return value

    def _live_class(self, fresh: type) -> type | None:
        if fresh.__module__ != self._module.__name__:
            return None
        found: Any = self._module
        for part in fresh.__qualname__.split("."):
            found = getattr(found, part, None)
        return found if isinstance(found, type) and found is not fresh else None

    def _set(self, owner: Any, name: str, value: Any) -> None:
        before = getattr(owner, name)
        if before is value:
            return
        setattr(owner, name, value)
        self._undo.append(functools.partial(setattr, owner, name, before))

    def set_item(self, owner: dict[str, Any], name: str, value: Any) -> None:
        """Bind a name in a namespace, or take it away; undone like everything else."""
        before = owner.get(name, _MISSING)
        self._undo.append(functools.partial(_put_back, owner, name, before))
        _put_back(owner, name, value)


def _put_back(owner: dict[str, Any], name: str, value: Any) -> None:
    if value is _MISSING:
        owner.pop(name, None)
    else:
        owner[name] = value


def _refill(cell: types.CellType, value: Any) -> None:
    if value is _MISSING:
        del cell.cell_contents
    else:
        cell.cell_contents = value


def _refill_container(container: Any, contents: Any) -> None:
    container.clear()
    container.update(contents)


def _names(function: types.FunctionType) -> str:
    return ", ".join(function.__code__.co_freevars) or "nothing"


class Reader:
    """A live module that may have imported names from the one that is swapped; its imports read once."""

    def __init__(self, module: types.ModuleType) -> None:
        self.module = module
        try:
            self._tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            self._tree = ast.Module(body=[], type_ignores=[])
        self._loads = tuple(_loads_at_import(self._tree))

    def names_for(self, module: types.ModuleType, name: str) -> tuple[str, ...]:
        """Local names bound to `name` of the module by `from module import name`, anywhere in the file."""
        local = []
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.ImportFrom) or not self._means(node, module):
                continue
            local += [alias.asname or alias.name for alias in node.names if alias.name == name]
            if any(alias.name == "*" for alias in node.names):
                local.append(name)
        return tuple(each for each in dict.fromkeys(local) if each in self.module.__dict__)

    def _means(self, node: ast.ImportFrom, module: types.ModuleType) -> bool:
        if node.level:
            package = (self.module.__package__ or "").split(".")
            base = ".".join(package[: len(package) - node.level + 1])
            full = ".".join(part for part in (base, node.module or "") if part)
            return full == module.__name__
        return node.module == module.__name__

    def reads_at_import(self, local: str, name: str, module: types.ModuleType) -> bool:
        """Whether the file's own import used that name, so that its value lives on elsewhere."""
        del name, module
        return any(isinstance(node, ast.Name) and node.id == local for node in self._loads)

    def reads_attribute_at_import(self, name: str, module: types.ModuleType) -> bool:
        """Whether the file's own import used `module.name`."""
        aliases = {n for n, value in self.module.__dict__.items() if value is module}
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == name
            and isinstance(node.value, ast.Name)
            and node.value.id in aliases
            for node in self._loads
        )


def _loads_at_import(tree: ast.AST) -> Iterator[ast.expr]:
    """Every name and attribute read when the module is executed: all but the bodies of functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = node.args
            outer: list[ast.AST] = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
            outer += list(getattr(node, "decorator_list", ()))
            for each in outer:
                yield from _loads_at_import(ast.Expression(body=each))  # type: ignore[arg-type]
            continue
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            yield node
        yield from _loads_at_import(node)


__all__ = ["ImportRaised", "Misfit", "Swapper", "execute_apart", "same_shape"]
