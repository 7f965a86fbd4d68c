"""Programs in SQL on small tables, run by DuckDB: what a diagnosis asks of an engine."""

from functools import cache

import duckdb
import sqlglot

from pytest_lockin.alternatives import make_variants
from pytest_lockin.frames.frame import Frame
from pytest_lockin.obligations.diagnose import Suspect, diagnose
from pytest_lockin.obligations.edits import read_variant, render
from pytest_lockin.obligations.link import Linker
from pytest_lockin.obligations.misreading import make_misreadings

SCHEMAS = {
    "sales": {"item": "int", "day": "int", "net": "decimal(7,2)", "list": "decimal(7,2)", "shop": "int"},
    "items": {"id": "int", "brand": "string", "size": "string"},
    "shops": {"id": "int", "town": "string"},
}


def open_tables(data):
    connection = duckdb.connect()
    for table, columns in SCHEMAS.items():
        listed = ", ".join(f'"{each}" {kind}' for each, kind in columns.items())
        connection.execute(f'CREATE TABLE "{table}" ({listed})')
        for row in data.get(table, ()):
            connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" for _ in row)})', row)
    return connection


@cache
def variants_of(reference):
    return tuple(read_variant(render(reference), each) for each in make_variants(reference, SCHEMAS))


class World:
    """Named data sets, and SQL of Spark run on them."""

    def __init__(self, **data):
        self.asked = []
        self.connections = {name: open_tables(tables) for name, tables in data.items()}

    def ask(self, sql, name):
        self.asked.append(sql)
        try:
            found = self.connections[name].execute(sqlglot.transpile(sql, read="spark", write="duckdb")[0])
            return Frame.of(found.to_arrow_table())
        except (duckdb.Error, sqlglot.errors.SqlglotError):
            return None

    def explain(self, reference, candidate, obligations, source="", edits=None):
        """Diagnose a candidate that is given as a statement itself."""
        base = render(reference)
        if edits is None:
            edits = (*variants_of(reference), *make_misreadings(base, SCHEMAS, source))
        suspect = Suspect(
            base=base,
            edits=tuple(edits),
            outputs={name: self.ask(candidate, name) for name in self.connections},
            source=source,
        )
        return diagnose(suspect, self.ask, Linker(reference, SCHEMAS, obligations), engine="duckdb").diagnosis
