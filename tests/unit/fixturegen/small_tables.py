"""Small legal tables that make a statement say something, in DuckDB; and a statement's rows on them.

Values are drawn from the statement's own literals and their neighbours, keys from very few numbers, so that joins
meet; NULL wherever the profile allows it. Deliberately not the project's own generator: proofs are tried on data
that nothing else of the project has seen.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal

import sqlglot
from sqlglot import exp

STRINGS = ("a", "b")
TODAY = dt.date(2001, 8, 11)


class SmallTables:
    """Draws tables for a statement; `draw` is a `random.Random`."""

    def __init__(self, con, statement, profile):
        self.con = con
        self.profile = profile
        tree = sqlglot.parse_one(statement, read="spark")
        used = {column.name.lower() for column in tree.find_all(exp.Column)}
        named = {table.name.lower() for table in tree.find_all(exp.Table)}
        self.tables = [table for table in profile.tables if table.name.lower() in named]
        self.used = {t.name: [c for c in t.columns if _needed(t, c, used)] for t in self.tables}
        self.values = _literals(tree)
        self.off = 0.1
        for table in self.tables:
            columns = ", ".join(f'"{c.name}" {_duck(c.type)}' for c in table.columns)
            con.execute(f'CREATE OR REPLACE TABLE "{table.name}" ({columns})')

    def fill(self, draw, most=4):
        """Fill all tables with new rows; no key occurs twice, no NULL stands where none may."""
        lean = draw.choice((0.0, 0.0, 0.05, 0.3))
        self.off = draw.choice((0.0, 0.05, 0.3))
        rows = {}
        for table in self.tables:
            made = [self._row(draw, table, lean) for _ in range(draw.choice((0, 1, 2, most, most, 2 * most)))]
            rows[table.name] = _once(self._derive(table, made), table)
        for _ in self.tables:
            rows = {table.name: _with_partner(rows[table.name], table, rows) for table in self.tables}
        for table in self.tables:
            self._insert(table, rows[table.name])

    def _insert(self, table, rows):
        self.con.execute(f'DELETE FROM "{table.name}"')
        if rows:
            names = [c.name for c in self.used[table.name]]
            mark = f"({', '.join('?' for _ in names)})"
            text = f'INSERT INTO "{table.name}" ({", ".join(names)}) VALUES {", ".join(mark for _ in rows)}'
            self.con.execute(text, [row[name] for row in rows for name in names])

    def _row(self, draw, table, lean):
        return {c.name: self._cell(draw, table, c, lean) for c in self.used[table.name]}

    def _derive(self, table, rows):
        """Compute the columns that follow from others, in the order the profile lists them."""
        kinds = {c.name: _duck(c.type) for c in self.used[table.name]}
        for each in table.derived if rows else ():
            rule = sqlglot.transpile(each.rule, read="spark", write="duckdb")[0]
            cells = ", ".join(f'CAST(? AS {kind}) AS "{name}"' for name, kind in kinds.items())
            every = " UNION ALL ".join(f"SELECT {place} AS place, {cells}" for place in range(len(rows)))
            asked = f"SELECT CAST({rule} AS {kinds[each.column]}) FROM ({every}) ORDER BY place"
            made = self.con.execute(asked, [row[name] for row in rows for name in kinds]).fetchall()
            rows = [{**row, each.column: value} for row, (value,) in zip(rows, made, strict=True)]
        return rows

    def _cell(self, draw, table, column, lean):
        if column.nullable and draw.random() < lean:
            return None
        exact, near = (
            [v for v in (_fit(value, column.type) for value in values) if v is not None]
            for values in self.values.get(column.name.lower(), ((), ()))
        )
        if exact and draw.random() >= self.off:
            return draw.choice(exact)
        if near and draw.random() < 0.7:
            return draw.choice(near)
        return _any_value(draw, column.type)


def _any_value(draw, kind):
    if kind in ("bigint", "int"):
        return draw.choice((1, 1, 1, 2, 3))
    if kind.startswith("decimal"):
        return Decimal(draw.choice((0, 1, 1, 150, 7525, 10000, 12345, 15000, 20001))) / 100
    if kind == "double":
        return draw.choice((0.0, 1.0, 1.5))
    return (
        TODAY + dt.timedelta(days=draw.choice((0, 1, 5, 6, 30))) if kind == "date" else draw.choice(STRINGS)
    )


def run(con, sql):
    """Give the rows of a statement of DuckDB's SQL, counted, and its columns' names and types."""
    found = con.execute(sql)
    return Counter(found.fetchall()), [(d[0].lower(), str(d[1])) for d in found.description]


def for_duckdb(sql):
    """Translate a statement; the outermost LIMIT is left out, since it may cut among equals as it likes."""
    tree = sqlglot.parse_one(sql, read="spark")
    tree.set("limit", None)
    return tree.sql(dialect="duckdb")


def _needed(table, column, used):
    keys = {name.lower() for key in (*table.unique, *table.foreign) for name in key.columns}
    if table.derived:
        return True
    name = column.name.lower()
    return name in used or name in keys or not column.nullable


def _duck(kind):
    return {"string": "VARCHAR"}.get(kind, kind)


def _once(rows, table):
    """Keep the first row of each key."""
    seen = set()
    kept = []
    for row in rows:
        keys = [(key.columns, tuple(row.get(c) for c in key.columns)) for key in table.unique]
        filled = [key for key in keys if None not in key[1]]
        if not seen.intersection(filled):
            seen.update(filled)
            kept.append(row)
    return kept


def _with_partner(rows, table, others):
    """Keep rows whose foreign keys are found; of tables that the statement does not read, nothing is asked."""
    for key in table.foreign:
        if key.table in others:
            there = {tuple(row[c] for c in key.targets) for row in others[key.table]}
            rows = [r for r in rows if None in (v := tuple(r[c] for c in key.columns)) or v in there]
    return rows


def _literals(tree):
    """Map column names to the values they are compared with, and to values next to these."""
    found = {}
    for node in tree.find_all(exp.Predicate, exp.In, exp.Between):
        literals = list(node.find_all(exp.Literal))
        for column in node.find_all(exp.Column):
            exact, near = found.setdefault(column.name.lower(), ([], []))
            for literal in literals:
                same, others = _near(literal, literals)
                exact += same
                near += others
    return found


def _near(literal, others):
    """Give a literal's value and sums with the others beside it (`2000 + 1`), and values just off."""
    if literal.is_string:
        try:
            day = dt.date.fromisoformat(literal.this)
        except ValueError:
            return [literal.this], []
        return [day], [day + dt.timedelta(days=days) for days in (-1, 1, 14, 30, 31)]
    value = Decimal(literal.this)
    beside = [Decimal(each.this) for each in others if not each.is_string and each is not literal]
    sums = [value + other for other in beside if abs(other) < 60]
    return [value, *sums], [value + 1, value - 1, *(value - other for other in beside)]


def _fit(value, kind):
    if kind in ("bigint", "int"):
        return int(value) if isinstance(value, Decimal) else None
    if kind.startswith("decimal"):
        return value if isinstance(value, Decimal) and abs(value) < 10000 else None
    if kind == "date":
        return value if isinstance(value, dt.date) else None
    return value if isinstance(value, str) else None
