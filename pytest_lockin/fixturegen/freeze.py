"""Fixtures as files: readable, one row a line, so that a change of one row is one line of a diff.

Format 1, one file a fixture, `<folder>/<task>/<name>.json`: task, name, purpose, `post_hoc`, the ids of the
variants it separates, and tables of typed columns, with what each row is for. Columns that are NULL in
every row are named once and left out of the rows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.cells import parse_cell, write_cell
from pytest_lockin.fixturegen.tables import spark_type
from pytest_lockin.model.fixture import ColumnProfile, Fixture, FixtureTable, Standing, VariantStanding

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
VARIANTS = "variants.json"


def render_fixture(fixture: Fixture) -> str:
    """Give a fixture's file as text."""
    lines = [
        "{",
        f' "format": {FORMAT},',
        f' "task": {_json(fixture.task)},',
        f' "name": {_json(fixture.name)},',
        f' "purpose": {_json(fixture.purpose)},',
        f' "post_hoc": {_json(fixture.post_hoc)},',
        f' "separates": {_json(list(fixture.separates))},',
        ' "tables": [',
        ",\n".join(_render_table(table) for table in fixture.tables),
        " ]",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _render_table(table: FixtureTable) -> str:
    shown = [
        place for place in range(len(table.columns)) if any(row[place] is not None for row in table.rows)
    ]
    names = [name for name, _ in table.columns]
    rows = [
        f'   {{"for": {_json(use)}, "row": {_json([write_cell(row[place]) for place in shown])}}}'
        for use, row in zip(table.uses, table.rows, strict=True)
    ]
    lines = [
        f'  {{"name": {_json(table.name)},',
        f'   "columns": {_json([f"{name} {kind}" for name, kind in table.columns])},',
        f'   "shown": {_json([names[place] for place in shown])},',
        '   "rows": [' + ("\n" + ",\n".join(rows) + "\n   ]}" if rows else "]}"),
    ]
    return "\n".join(lines)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def parse_fixture(text: str, path: Path) -> Fixture:
    """Read a fixture's file.

    Raises:
        FixturesError: it is no fixture of this format, or a value is not of its column's type.
    """
    data = _load(text, path)
    try:
        tables = tuple(_parse_table(table) for table in data["tables"])
        return Fixture(
            task=_text(data["task"]),
            name=_text(data["name"]),
            purpose=_text(data["purpose"]),
            post_hoc=data["post_hoc"] is True,
            separates=tuple(_text(each) for each in data["separates"]),
            tables=tables,
        )
    except KeyError as error:
        raise _damaged(path, f"no {error.args[0]!r}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, str(error)) from None
    except FixturesError as error:
        raise _damaged(path, error.found) from None


def _load(text: str, path: Path) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError as error:
        raise _damaged(path, f"no JSON: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        found = data.get("format") if isinstance(data, dict) else "a list"
        raise _damaged(path, f"format {found!r}")
    return data


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"{value!r} where a text is expected"
        raise ValueError(message)  # noqa: TRY004 - told as damaged, like everything else
    return value


def _parse_table(table: dict[str, Any]) -> FixtureTable:
    columns = tuple(_parse_column(_text(each)) for each in table["columns"])
    kinds = dict(columns)
    shown = [_text(name) for name in table["shown"]]
    strange = [name for name in shown if name not in kinds] or [n for n in shown if shown.count(n) > 1]
    if strange:
        message = f"{table['name']}: {strange[0]!r} shown, which is no column or shown twice"
        raise ValueError(message)
    return FixtureTable(
        name=_text(table["name"]),
        columns=columns,
        rows=tuple(_parse_row(row["row"], shown, columns) for row in table["rows"]),
        uses=tuple(_text(row["for"]) for row in table["rows"]),
    )


def _parse_column(text: str) -> tuple[str, str]:
    name, _, kind = text.rpartition(" ")
    spark_type(ColumnProfile(name=name, type=kind))
    return name, kind


def _parse_row(row: Any, shown: list[str], columns: tuple[tuple[str, str], ...]) -> tuple[Any, ...]:
    kinds = dict(columns)
    if not isinstance(row, list) or len(row) != len(shown):
        message = f"a row of other length than the {len(shown)} columns shown: {row!r}"
        raise ValueError(message)
    cells = {name: parse_cell(value, kinds[name]) for name, value in zip(shown, row, strict=True)}
    return tuple(cells.get(name) for name, _ in columns)


def _damaged(path: Path, found: str) -> FixturesError:
    return FixturesError(
        expected=f"a fixture of format {FORMAT} in {path}",
        found=found,
        hint="undo the change, or make it again with `lockin fixtures build`",
    )


def load_fixtures(folder: Path, task: str) -> tuple[Fixture, ...]:
    """Read a task's fixtures, by name; none where the task has no folder there.

    Raises:
        FixturesError: a file is damaged, or is the fixture of another task or name.
    """
    fixtures = []
    for path in sorted((folder / task).glob("*.json")):
        if path.name == VARIANTS:
            continue
        fixture = parse_fixture(_read(path), path)
        if (fixture.task, fixture.name) != (task, path.stem):
            raise _damaged(path, f"the fixture {fixture.name} of {fixture.task}")
        fixtures.append(fixture)
    return tuple(fixtures)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from None


def render_standings(standings: tuple[VariantStanding, ...]) -> str:
    """Give the standings of a task's variants as text, one a line."""
    lines = ",\n".join(f"  {_json(_standing_fields(standing))}" for standing in standings)
    return f'{{\n "format": {FORMAT},\n "variants": [\n{lines}\n ]\n}}\n'


def _standing_fields(standing: VariantStanding) -> dict[str, object]:
    fields: dict[str, object] = {
        "id": standing.id,
        "kind": standing.kind,
        "standing": standing.standing.value,
        "text": standing.text,
        "reason": standing.reason,
        "fixture": standing.fixture,
        "tried": standing.tried,
        "assumed": list(standing.assumed),
    }
    return {name: value for name, value in fields.items() if value not in ("", 0, [])}


def load_standings(folder: Path, task: str) -> tuple[VariantStanding, ...]:
    """Read what is known of a task's variants; none where nothing is stored.

    Raises:
        FixturesError: the file is damaged.
    """
    path = folder / task / VARIANTS
    if not path.is_file():
        return ()
    data = _load(_read(path), path)
    try:
        return tuple(_parse_standing(each) for each in data["variants"])
    except KeyError as error:
        raise _damaged(path, f"no {error.args[0]!r}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise _damaged(path, str(error)) from None


def _parse_standing(fields: dict[str, Any]) -> VariantStanding:
    tried = fields.get("tried", 0)
    if not isinstance(tried, int):
        message = f"{tried!r} where a number is expected"
        raise ValueError(message)  # noqa: TRY004 - told as damaged, like everything else
    return VariantStanding(
        id=_text(fields["id"]),
        kind=_text(fields["kind"]),
        text=_text(fields["text"]),
        standing=Standing(fields["standing"]),
        reason=_text(fields.get("reason", "")),
        fixture=_text(fields.get("fixture", "")),
        tried=tried,
        assumed=tuple(_text(each) for each in fields.get("assumed", [])),
    )
