"""YAML files that users write, read into checked values; every complaint names file, line and cure.

Two steps: the text becomes plain data beside a map of where each value stands (`read_document`), and the
data is converted to a declared shape (`convert`), whose complaints are given the line of what they concern.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import yaml

from pytest_lockin.errors import TaskFileError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

T = TypeVar("T")
Step = str | int

# libyaml where PyYAML was built with it: ten times faster on thirty tasks.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# A larger file is a mistake (or an attack on the reader), not a task.
MAX_BYTES = 2_000_000

_AT = re.compile(r" - at (?:key in )?`\$(?P<path>[^`]*)`$")
_STEP = re.compile(r"\.(?P<name>[^.\[\]]+)|\[(?P<index>\d+|\.\.\.)\]")

_PATTERNS = {
    "id": {
        "expected": "letters, digits, dots, dashes and underscores in `id`",
        "found": "something else",
        "hint": "the id is also a folder's name; write for example q02 or late_orders",
    },
    "entry_point": {
        "expected": "a function's name, or module:function, in `entry_point`",
        "found": "something else",
        "hint": "write for example `solve`, or `solution:solve`",
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A YAML file's plain data and its node tree, which knows the lines."""

    path: Path
    data: Any
    root: yaml.Node | None

    def line(self, steps: tuple[Step, ...] = ()) -> int:
        """Find the line (from 1) of the value at `steps`, or of the nearest thing around it."""
        node, line = self.root, 1
        for step in (None, *steps):
            found = node if step is None else _child(node, step)
            if found is None:
                return line
            line = _line_of(node, step, found)
            node = found
        return line


def read_document(path: Path) -> Document:
    """Read one YAML file (safe tags only) into data and nodes.

    Raises:
        TaskFileError: it cannot be read, is no YAML, names a key twice, or is far too large.
    """
    text = _read_text(path)
    try:
        loader = _LOADER(text)
        try:
            root = loader.get_single_node()
            _refuse_repeated_keys(path, root)
            data = None if root is None else loader.construct_document(root)
        finally:
            loader.dispose()
        return Document(path=path, data=data, root=root)
    except yaml.YAMLError as error:
        raise _not_yaml(path, error) from None
    except ValueError as error:
        # A plain scalar that looks like a date or a number and is none: 2001-02-31.
        raise TaskFileError(
            expected=f"{path} to hold dates and numbers that exist",
            found=str(error),
            hint="put the value in quotes if it is a text",
        ) from None
    except RecursionError:
        raise TaskFileError(
            expected=f"{path} to be YAML of a few levels",
            found="values nested beyond all measure",
            hint="compare with the example in docs/how-to/add-a-task.md",
        ) from None


def convert(document: Document, shape: type[T]) -> T:
    """Convert the document to a declared shape (a msgspec struct).

    Raises:
        TaskFileError: a value is missing, unknown or of the wrong kind; file, line and cure are named.
    """
    data = {} if document.data is None else document.data
    try:
        return msgspec.convert(data, shape)
    except msgspec.ValidationError as error:
        raise _explain(document, str(error)) from None


def complain(
    document: Document, steps: tuple[Step, ...], *, expected: str, found: str, hint: str
) -> TaskFileError:
    """Build the error for the value at `steps`, with file and line in front."""
    where = f"{document.path}, line {document.line(steps)}"
    return TaskFileError(expected=f"{expected} ({where})", found=found, hint=hint)


def _read_text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise TaskFileError(
            expected=f"a readable file at {path}",
            found=error.strerror or type(error).__name__,
            hint="check the path and its permissions",
        ) from None
    if len(raw) > MAX_BYTES:
        raise TaskFileError(
            expected=f"{path} to be at most {MAX_BYTES:,} bytes",
            found=f"{len(raw):,} bytes",
            hint="a task file holds a ticket and a list of obligations; data belongs elsewhere",
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TaskFileError(
            expected=f"{path} to be UTF-8 text",
            found=f"a byte that is not, at offset {error.start}",
            hint="save the file as UTF-8",
        ) from None


def _not_yaml(path: Path, error: yaml.YAMLError) -> TaskFileError:
    mark = getattr(error, "problem_mark", None)
    where = f"{path}, line {mark.line + 1}" if mark is not None else str(path)
    problem = str(getattr(error, "problem", None) or error).splitlines()[0].removeprefix("found ")
    hint = "put the value in quotes, or start a text of several lines with `|`"
    if "tab" in problem or "\\t" in problem:
        hint = "indent with spaces, not tabs"
    return TaskFileError(expected=f"YAML ({where})", found=problem, hint=hint)


def _refuse_repeated_keys(path: Path, root: yaml.Node | None) -> None:
    """PyYAML keeps the last of two equal keys silently: half of what the author wrote would be gone."""
    for mapping in _mappings(root):
        seen: dict[str, int] = {}
        for key, _ in mapping.value:
            name, line = str(key.value), key.start_mark.line + 1
            if name in seen:
                raise TaskFileError(
                    expected=f"`{name}` once ({path}, line {line})",
                    found=f"it a second time, after line {seen[name]}",
                    hint="remove one of the two, or give the second an item of its own (`- ` in front)",
                )
            seen[name] = line


def _mappings(root: yaml.Node | None) -> Iterator[yaml.MappingNode]:
    """Yield every mapping once; an alias leads to a node already seen."""
    seen: set[int] = set()
    rest = [root] if root is not None else []
    while rest:
        node = rest.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield node
            rest.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            rest.extend(node.value)


def _child(node: yaml.Node | None, step: Step) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step]  # type: ignore[no-any-return]
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    return None


def _line_of(parent: yaml.Node | None, step: Step | None, found: yaml.Node) -> int:
    """A mapping's entry stands where its key does: its value may begin lines later."""
    if isinstance(parent, yaml.MappingNode) and step is not None:
        for key, _ in parent.value:
            if key.value == step:
                return int(key.start_mark.line) + 1
    return int(found.start_mark.line) + 1


def _explain(document: Document, message: str) -> TaskFileError:
    """Turn msgspec's complaint into ours: its path becomes a line, its words expected, found and hint."""
    at = _AT.search(message)
    problem = message[: at.start()] if at else message
    steps = tuple(_steps(at["path"])) if at else ()
    unknown = re.fullmatch(r"Object contains unknown field `(.+)`", problem)
    if unknown:
        return _explain_unknown(document, (*steps, unknown[1]), unknown[1])
    missing = re.fullmatch(r"Object missing required field `(.+)`", problem)
    if missing:
        return complain(
            document,
            steps,
            expected=f"a value for `{missing[1]}`{_named(steps)}",
            found="none",
            hint=f"add `{missing[1]}: ...`",
        )
    wrong = re.fullmatch(r"Expected `(.+)`, got `(.+)`", problem)
    if wrong:
        return _explain_kind(document, steps, wrong[1], wrong[2])
    pattern = re.fullmatch(r"Expected `str` matching regex .*", problem)
    if pattern and steps[-1:] in (("id",), ("entry_point",)):
        return complain(document, steps, **_PATTERNS[str(steps[-1])])
    value = re.fullmatch(r"Invalid enum value '?(.*?)'?", problem)
    if value:
        return complain(
            document,
            steps,
            expected=f"a known value{_named(steps)}",
            found=f"`{value[1]}`",
            hint=_allowed(steps),
        )
    return complain(
        document, steps, expected=f"a valid value{_named(steps)}", found=problem, hint="correct it there"
    )


def _steps(path: str) -> Iterator[Step]:
    for match in _STEP.finditer(path):
        if match["name"]:
            yield match["name"]
        elif match["index"] != "...":
            yield int(match["index"])


def _named(steps: tuple[Step, ...]) -> str:
    """Say where in words: ` in obligations, item 3, kind`."""
    if not steps:
        return ""
    words = [f"item {step + 1}" if isinstance(step, int) else step for step in steps]
    return f" in {', '.join(words)}"


def _explain_unknown(document: Document, steps: tuple[Step, ...], name: str) -> TaskFileError:
    return complain(
        document,
        steps,
        expected="only keys that are known there",
        found=f"`{name}`{_named(steps[:-1])}",
        hint="remove it or correct its spelling; docs/schemas/ has the keys",
    )


def _explain_kind(document: Document, steps: tuple[Step, ...], expected: str, found: str) -> TaskFileError:
    hints = {
        "null": "give it a value; the word null itself needs quotes: 'null'",
        "int": "put it in quotes",
        "float": "put it in quotes",
        "bool": "put it in quotes (YAML reads yes, no, on and off as true and false)",
        "object": "write a plain value there",
        "str": f"write {'a list, each item after `- `' if expected == 'array' else 'keys and values'} there",
        "array": "write a single value there, not a list",
    }
    names = {"object": "keys with values", "array": "a list", "str": "a text", "null": "nothing (null)"}
    return complain(
        document,
        steps,
        expected=f"{names.get(expected, expected)}{_named(steps)}",
        found=names.get(found, found),
        hint=hints.get(found, "correct it there"),
    )


def _allowed(steps: tuple[Step, ...]) -> str:
    from pytest_lockin.model.task import Fragment, Kind, Source

    values = {"kind": Kind, "source": Source, "fragment": Fragment}
    known = values.get(str(steps[-1])) if steps else None
    return f"one of: {', '.join(known)}" if known else "see docs/schemas/ for the values"
