"""Two small tables, and databases of them: empty ones, NULLs, ties and rows without a partner among them."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal

from pytest_lockin.model.fixture import (
    Basis,
    ColumnProfile,
    Dataset,
    ForeignKey,
    Profile,
    Rows,
    TableProfile,
    UniqueKey,
)

PROFILE = Profile(
    tables=(
        TableProfile(
            name="sale",
            columns=(
                ColumnProfile(name="shop", type="bigint"),
                ColumnProfile(name="price", type="decimal(7,2)"),
                ColumnProfile(name="day", type="date"),
            ),
        ),
        TableProfile(
            name="shop",
            columns=(
                ColumnProfile(name="id", type="bigint", nullable=False),
                ColumnProfile(name="name", type="string"),
            ),
            unique=(UniqueKey(columns=("id",), basis=Basis.SCHEMA),),
        ),
    )
)

LINKED = Profile(
    tables=(
        TableProfile(
            name="sale",
            columns=PROFILE.tables[0].columns,
            foreign=(ForeignKey(columns=("shop",), table="shop", targets=("id",), basis=Basis.STATED),),
        ),
        PROFILE.tables[1],
    )
)


def make_database(name, sales, shops, purpose="made by hand"):
    """A database from rows: sales (shop, price, day of January 2000), shops (id, name)."""
    dated = tuple(
        (s, None if p is None else Decimal(p), None if d is None else dt.date(2000, 1, d))
        for s, p, d in sales
    )
    return Dataset(
        id=name,
        purpose=purpose,
        tables=(
            Rows(table="sale", columns=("shop", "price", "day"), rows=dated),
            Rows(table="shop", columns=("id", "name"), rows=tuple(shops)),
        ),
    )


def make_databases(count, seed=7):
    chance = random.Random(seed)
    made = [make_database("empty", (), ()), make_database("no sales", (), ((1, "a"), (2, None)))]
    for number in range(count - len(made)):
        sales = [
            (
                chance.choice([1, 2, 3, None]),
                chance.choice(["1.00", "2.50", "4.00", "4.00", None]),
                chance.choice([1, 2, 3]),
            )
            for _ in range(chance.randrange(6))
        ]
        shops = [(n, chance.choice("abc")) for n in range(1, 4) if chance.random() < 0.6]
        made.append(make_database(f"d{number}", tuple(sales), tuple(shops)))
    return tuple(made)
