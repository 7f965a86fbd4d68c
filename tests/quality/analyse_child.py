"""Ask Sail whether it accepts programs and statements, in a process of its own: JSON in, the refused out.

Input: `{"schemas": ..., "programs": {id: source}, "statements": {id: sql}}`. Output: `{id: message}`.
"""

import datetime as dt
import decimal
import json
import sys
import tempfile

from pytest_lockin.engines import create_engine
from pytest_lockin.engines.base import EngineOptions


def value_of(kind, number):
    if kind.startswith("decimal"):
        return decimal.Decimal(number)
    return {"string": f"s{number}", "date": dt.date(2001, 8, number)}.get(kind, number)


def make_table(session, columns):
    rows = [tuple(value_of(kind, number) for kind in columns.values()) for number in (1, 2)]
    return session.createDataFrame(rows, ", ".join(f"{name} {kind}" for name, kind in columns.items()))


def main():
    asked = json.load(sys.stdin)
    engine = create_engine("sail")
    with tempfile.TemporaryDirectory() as scratch:
        engine.start(EngineOptions(scratch=scratch))
        try:
            json.dump(answer(engine.session(), asked), sys.stdout)
        finally:
            engine.stop()


def answer(session, asked):
    tables = {name: make_table(session, columns) for name, columns in asked["schemas"].items()}
    for name, table in tables.items():
        table.createOrReplaceTempView(name)
    refused = {}
    for key, source in asked["programs"].items():
        names = {}
        try:
            exec(compile(source, key, "exec"), names)
            assert names["solve"](session, tables).schema
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            refused[key] = f"{type(error).__name__}: {error}"[:300]
    for key, sql in asked["statements"].items():
        try:
            assert session.sql(sql).schema
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            refused[key] = f"{type(error).__name__}: {error}"[:300]
    return refused


if __name__ == "__main__":
    main()
