"""Many small databases in one DuckDB: what a statement returns on each, in one call.

DuckDB only looks: what it tells apart counts when plain runs on Spark-compatible execution say so too.
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from pytest_lockin.errors import FixturesError
from pytest_lockin.fixturegen.merge import CAP, largest_table
from pytest_lockin.fixturegen.stack import DATASETS, Stackable, stored_name
from pytest_lockin.fixturegen.tables import DATASET_COLUMN, stack_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pytest_lockin.model.fixture import Dataset, Profile

CALL_LIMIT = 10.0
_PATIENCE = 8
_MOST_INTERRUPTED = 2
# A variant that lost a join condition multiplies rows.
_MEMORY = "2GB"
_NUMERIC = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_EMPTY = (0, 0)

Digest = tuple[int, int]
"""Row count and a sum over the rows' hashes: equal for equal multisets of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """What a statement returned on each dataset: a digest, or the reason it raised.

    The two share no key, and neither has those on which it took too long.
    """

    found: Mapping[int, Digest]
    raised: Mapping[int, str]


class Warehouse:
    """Datasets of one task, loaded once, for any number of statements.

    `large` are the numbers of those with more rows than a fixture may have.

    Args:
        statements: the texts that will be asked; columns none of them mentions are not loaded.
    """

    def __init__(self, profile: Profile, datasets: Sequence[Dataset], statements: Sequence[str]) -> None:
        self._connection = _connect()
        self._columns: dict[str, tuple[str, ...]] = {}
        self.size = len(datasets)
        self.large = frozenset(n for n, dataset in enumerate(datasets) if largest_table(dataset) > CAP)
        numbers = ", ".join(f"({number})" for number in range(len(datasets))) or "(NULL)"
        self._connection.execute(
            f"CREATE TABLE {DATASETS} AS SELECT * FROM (VALUES {numbers}) t({DATASET_COLUMN})"
        )
        for name, table in stack_tables(datasets, profile, mentioned_columns(profile, statements)).items():
            self._connection.register("_loading", table)
            self._connection.execute(f"CREATE TABLE {stored_name(profile, name)} AS SELECT * FROM _loading")
            self._connection.unregister("_loading")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def digest(
        self, statement: Stackable, numbers: Sequence[int] | None = None, *, like: Stackable | None = None
    ) -> Digests:
        """Run a statement on datasets (all of them by default) and digest what it returns on each.

        One call where nothing raises; else halves, until the datasets that raise stand alone. `like` is a
        statement digested before, to which this one is compared: it is first run as if its columns had the
        same types, since to find types out costs as much as to plan. Columns it has beyond those of `like`
        may then not be seen.

        Raises:
            FixturesError: the statement cannot be bound.
        """
        wanted = sorted(range(self.size) if numbers is None else numbers)
        cursor = self._connection.cursor()
        spans = tuple(_spans(wanted))
        columns = self._columns.get(like.sql, ()) if like is not None else ()
        asked = _ask_at_once(_Asked(cursor, statement, columns), spans) if columns else None
        if asked is None:
            columns = _describe(cursor, statement)
            self._columns[statement.sql] = columns
            asked = _Asked(cursor, statement, columns)
            for first, last in spans:
                asked.run(first, last)
        return Digests(
            found={
                n: asked.found.get(n, _EMPTY) for n in wanted if n not in asked.raised.keys() | asked.late
            },
            raised={n: asked.raised[n] for n in wanted if n in asked.raised},
        )

    def rows(self, statement: Stackable, number: int) -> tuple[tuple[Any, ...], ...]:
        """Give a statement's rows on one dataset, in its order.

        Raises:
            FixturesError: it raises there; the message says what.
        """
        import duckdb

        try:
            return tuple(_run_bounded(self._connection.cursor(), statement.pin(number)))
        except duckdb.Error as error:
            raise _unrun(error) from None


def mentioned_columns(profile: Profile, statements: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Give, for each table, the columns whose names occur in the statements: one at least, all for a star."""
    words = {word.lower() for text in statements for word in re.findall(r"\w+", text)}
    every = any("*" in text.replace("(*)", "") for text in statements)
    named = {
        table.name: tuple(c.name for c in table.columns if every or c.name.lower() in words)
        for table in profile.tables
    }
    return {
        table.name: named[table.name] or tuple(c.name for c in table.columns[:1]) for table in profile.tables
    }


def _connect() -> Any:
    try:
        import duckdb
    except ImportError as error:  # pragma: no cover - a core dependency
        raise FixturesError(
            expected="DuckDB, which looks for rows that tell programs apart",
            found=str(error),
            hint="pip install duckdb",
        ) from error
    connection = duckdb.connect()
    # One thread for each statement: the plans are wide and the data tiny.
    connection.execute(f"SET threads = 1; SET memory_limit = '{_MEMORY}'")
    connection.execute("SET TimeZone = 'UTC'; SET preserve_insertion_order = true")
    return connection


def _spans(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Give runs of numbers as (first, last); short gaps are run over rather than paid for with a call."""
    gap = 64
    start = previous = None
    for number in numbers:
        if start is None or previous is None:
            start = number
        elif number - previous > gap:
            yield start, previous
            start = number
        previous = number
    if start is not None and previous is not None:
        yield start, previous


def _describe(cursor: Any, statement: Stackable) -> tuple[str, ...]:
    """Give, for each output column, an expression that is equal for values that count as equal.

    Numbers at ten digits whatever their type: the engines differ in scale, and floats in the last digits.
    """
    import duckdb

    try:
        types = [str(kind) for kind in cursor.sql(statement.spread(0, 0)).types][1:]
    except duckdb.Error as error:
        raise _unrun(error) from None
    return tuple(
        f"printf('%.9e', CAST(c{place} AS DOUBLE) + 0.0)"
        if kind.startswith(_NUMERIC)
        else f"CAST(c{place} AS VARCHAR)"
        for place, kind in enumerate(types)
    )


class _Asked:
    """One statement on its way through the datasets."""

    def __init__(self, cursor: Any, statement: Stackable, columns: tuple[str, ...]) -> None:
        self._cursor = cursor
        self._statement = statement
        self._columns = columns
        self.found: dict[int, Digest] = {}
        self.raised: dict[int, str] = {}
        self.late: set[int] = set()
        self._interrupted = 0

    def run(self, first: int, last: int) -> None:
        """Digest a run of datasets; where one of them raises, each half of the run."""
        import duckdb

        try:
            self.take(first, last)
        except duckdb.InterruptException:
            self._interrupted += 1
            if first == last or self._interrupted > _MOST_INTERRUPTED:
                self.late.update(range(first, last + 1))
                return
            self._halve(first, last)
        except duckdb.Error as error:
            if first == last or self._raises_everywhere():
                self.raised.update(dict.fromkeys(range(first, last + 1), str(error).splitlines()[0]))
                return
            self._halve(first, last)

    def _halve(self, first: int, last: int) -> None:
        middle = (first + last) // 2
        self.run(first, middle)
        self.run(middle + 1, last)

    def take(self, first: int, last: int) -> None:
        """Digest a run of datasets in one call; raises what DuckDB raises."""
        rows = _run_bounded(self._cursor, self._text(first, last))
        self.found.update((number, (count, total)) for number, count, total in rows)

    def _raises_everywhere(self) -> bool:
        """Tell whether halving has found nothing that runs for so long that nothing will."""
        return not self.found and len(self.raised) >= _PATIENCE

    def _text(self, first: int, last: int) -> str:
        names = ", ".join([DATASET_COLUMN, *(f"c{place}" for place in range(len(self._columns)))])
        hashed = f"sum(hash({', '.join(self._columns)}))"
        rows = f"({self._statement.spread(first, last)}) AS r({names})"
        return f"SELECT {DATASET_COLUMN}, count(*), {hashed} FROM {rows} GROUP BY {DATASET_COLUMN}"


def _ask_at_once(asked: _Asked, spans: Sequence[tuple[int, int]]) -> _Asked | None:
    """Run a statement as it is described; None where anything raises."""
    import duckdb

    try:
        for first, last in spans:
            asked.take(first, last)
    except duckdb.Error:
        return None
    return asked


def _run_bounded(cursor: Any, text: str) -> list[tuple[Any, ...]]:
    """Run a statement; one that takes too long is interrupted, and raises that."""
    timer = threading.Timer(CALL_LIMIT, cursor.interrupt)
    timer.start()
    try:
        rows: list[tuple[Any, ...]] = cursor.execute(text).fetchall()
        return rows
    finally:
        timer.cancel()


def _unrun(error: Exception) -> FixturesError:
    return FixturesError(
        expected="a statement that DuckDB can run",
        found=str(error).splitlines()[0] if str(error) else type(error).__name__,
        hint="it is run on one dataset after the other on the engine instead",
    )
