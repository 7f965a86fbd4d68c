"""Agreement of what two programs returned, part by part."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_lockin.frames import agree
from pytest_lockin.frames.frame import Frame
from pytest_lockin.model.agreement import Agreement, Category, ColumnCountDiffers, NotComparable

if TYPE_CHECKING:
    from pytest_lockin.model.rules import Rules
    from pytest_lockin.references.run import Parts


def agree_parts(
    expected: Parts, found: Parts, rules: Rules, *, pool: Frame | None = None, by_name: bool = False
) -> Agreement:
    """Compare outputs part by part; the first part that differs decides, sums count all rows.

    A single DataFrame is one part named "". Parts are matched by name (a mapping has no order): a program
    that returns other parts than the reference differs in structure.
    """
    if sorted(name for name, _ in expected) != sorted(name for name, _ in found):
        return Agreement(
            agrees=False,
            category=Category.STRUCTURE,
            rows_expected=_rows(expected),
            rows_found=_rows(found),
            differences=(_other_parts(expected, found),),
        )
    named = dict(found)
    agreements = [
        agree(left, arrange_by_name(left, named[name]) if by_name else named[name], rules, pool)
        for name, left in expected
    ]
    worst = next((each for each in agreements if not each.agrees), agreements[0])
    if len(agreements) == 1:
        return worst
    return Agreement(
        agrees=worst.agrees,
        category=worst.category,
        recovered_by=worst.recovered_by,
        rows_expected=_rows(expected),
        rows_found=_rows(found),
        differences=worst.differences,
        notes=tuple(dict.fromkeys(note for each in agreements for note in each.notes)),
    )


def raised(kind: str, message: str, rows_expected: int) -> Agreement:
    """The agreement of a program that raised: none, category runtime."""
    return Agreement(
        agrees=False,
        category=Category.RUNTIME,
        rows_expected=rows_expected,
        differences=(NotComparable(reason=f"{kind}: {message}" if message else kind),),
    )


def _rows(parts: Parts) -> int:
    return sum(frame.rows for _, frame in parts)


def _other_parts(expected: Parts, found: Parts) -> ColumnCountDiffers | NotComparable:
    names = [name or "one DataFrame" for name, _ in expected]
    others = [name or "one DataFrame" for name, _ in found]
    return NotComparable(reason=f"expected parts {', '.join(names)}; found {', '.join(others)}")


def arrange_by_name(expected: Frame, found: Frame) -> Frame:
    """Put the found columns in the expected order, where both have the same names, once each (any case)."""
    wanted = [name.lower() for name in expected.names]
    have = [name.lower() for name in found.names]
    if sorted(wanted) != sorted(have) or len(set(have)) != len(have):
        return found
    positions = [have.index(name) for name in wanted]
    schema = found.schema_json
    if schema:
        fields = found.fields
        schema = json.dumps({"type": "struct", "fields": [fields[index] for index in positions]})
    return Frame(table=found.table.select(positions), rows=found.rows, schema_json=schema)
