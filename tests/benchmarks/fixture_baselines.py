"""What fixtures are held against: random rows, and rows that know the statement's literals and the keys."""

from __future__ import annotations

import datetime as dt
import random
import re
from decimal import Decimal

from pytest_lockin.model.fixture import Dataset, Rows

DAY = dt.date(1999, 1, 1)


def make_random(profile, *, count: int, rows: int = 20, seed: int = 1) -> tuple[Dataset, ...]:
    """Tables of random values; keys unique, nothing known of the statement."""
    return tuple(
        _dataset(profile, f"random{n}", random.Random(seed * 1000 + n), rows, ()) for n in range(count)
    )


def make_fuzz(statement: str, profile, *, count: int, rows: int = 20, seed: int = 1) -> tuple[Dataset, ...]:
    """As a test suite's fuzzer makes them: foreign keys from their parents, values from the statement's literals."""
    literals = _literals(statement)
    return tuple(
        _dataset(profile, f"fuzz{n}", random.Random(seed * 1000 + n), rows, literals) for n in range(count)
    )


def _literals(statement: str) -> tuple[object, ...]:
    texts = re.findall(r"'([^']*)'", statement)
    numbers = re.findall(r"(?<![\w'.])\d+(?:\.\d+)?(?![\w'])", re.sub(r"'[^']*'", "", statement))
    return (*texts, *(Decimal(n) if "." in n else int(n) for n in numbers))


def _dataset(profile, name, chance, size, literals):
    made: dict[str, Rows] = {}
    parents = {t.name: t for t in profile.tables}
    for table in sorted(profile.tables, key=lambda t: len(t.foreign)):
        made[table.name] = _rows(table, chance, size, literals, made)
    return Dataset(id=name, purpose="baseline", tables=tuple(made[t] for t in parents))


def _rows(table, chance, size, literals, made):
    names = [c.name for c in table.columns]
    rows = []
    for _ in range(size):
        row = {c.name: _value(c, chance, literals) for c in table.columns}
        for key in table.foreign if literals else ():
            parent = made.get(key.table)
            if parent is not None and parent.rows:
                chosen = dict(zip(parent.columns, chance.choice(parent.rows), strict=True))
                row.update({c: chosen[t] for c, t in zip(key.columns, key.targets, strict=True)})
        rows.append(tuple(row[n] for n in names))
    for key in table.unique:
        places = [names.index(c) for c in key.columns]
        rows = list({tuple(row[p] for p in places): row for row in rows}.values())
    return Rows(table=table.name, columns=tuple(names), rows=tuple(rows))


def _value(column, chance, literals):
    if column.nullable and chance.random() < 0.05:
        return None
    if column.domain and chance.random() < 0.9:
        return chance.choice(column.domain)
    fitting = [v for x in literals if (v := _fit(x, column.type)) is not None]
    if fitting and chance.random() < 0.7:
        return _near(chance.choice(fitting), column.type, chance)
    return _fresh(column.type, chance)


def _fit(value, kind):
    try:
        if kind.startswith("decimal"):
            fits = not isinstance(value, str) and abs(value) < 900
            return Decimal(value).quantize(Decimal("0.01")) if fits else None
        if kind == "date":
            return dt.date.fromisoformat(value) if isinstance(value, str) else None
        if kind in {"int", "bigint"}:
            return int(value) if isinstance(value, int) else None
        return value if isinstance(value, str) else None
    except (ValueError, ArithmeticError):
        return None


def _near(value, kind, chance):
    step = chance.choice([0, 0, 0, 1, -1])
    if kind == "date":
        return value + dt.timedelta(days=step)
    return value + step if not isinstance(value, str) else value + ("x" if step else "")


def _fresh(kind, chance):
    if kind.startswith("decimal"):
        return Decimal(chance.randrange(-9999, 9999)) / 100
    if kind in {"int", "bigint"}:
        return chance.randrange(1, 2000)
    if kind == "date":
        return DAY + dt.timedelta(days=chance.randrange(1500))
    if kind == "double":
        return chance.random() * 100
    return "".join(chance.choice("abcdefgh") for _ in range(4))
