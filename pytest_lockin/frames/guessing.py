"""Which found column holds which expected column's values, when the names do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_lockin.frames.columns import Column, digest, join_columns
from pytest_lockin.frames.encoding import combine
from pytest_lockin.frames.matching import chain_codes
from pytest_lockin.frames.types import Relation, json_types, relate

if TYPE_CHECKING:
    from pytest_lockin.frames.encoding import Ints
    from pytest_lockin.frames.frame import Frame
    from pytest_lockin.model.rules import Rules

    Pairs = tuple[tuple[int, int], ...]

_MAX_CELLS = 40_000_000
_MAX_TRIALS = 64


def match_columns(expected: Frame, found: Frame, rules: Rules) -> Pairs | None:
    """Give the pairing of columns under which the tables may agree; None when surely none does.

    Columns are told apart by the multiset of their values, then by the multiset of their values together
    with those of the columns already paired, so 26 shuffled columns take 26 steps and not 26! trials.
    Truly alike columns are paired in order. The caller still has to compare the rows. Beyond a bound on
    the work the answer is None too.
    """
    width = len(expected.names)
    if width != len(found.names) or expected.rows != found.rows or expected.rows * width > _MAX_CELLS:
        return None
    codes = _common_codes(expected, found, rules)
    return _assign(codes, expected.rows) if codes is not None else None


def _common_codes(expected: Frame, found: Frame, rules: Rules) -> list[list[Ints | None]] | None:
    """Encode every expected column together with every found one it could be; too slow beyond a bound."""
    mine, yours = json_types(expected, found)
    table: list[list[Ints | None]] = []
    for i in range(len(mine)):
        row: list[Ints | None] = []
        for j in range(len(yours)):
            if relate(mine[i], yours[j], field_order=rules.field_order) is Relation.STRUCTURE:
                row.append(None)
                continue
            columns, _ = join_columns(expected, found, ((i, j),), rules)
            row.append(_column_codes(columns[0]) if columns else None)
        table.append(row)
    return table


def _column_codes(column: Column) -> Ints | None:
    codes = chain_codes(digest(column))
    cut = len(column.left)
    return codes if _same_multiset(codes[:cut], codes[cut:]) else None


def _same_multiset(one: Ints, other: Ints) -> bool:
    width = int(max(one.max(initial=0), other.max(initial=0))) + 1
    return bool((np.bincount(one, minlength=width) == np.bincount(other, minlength=width)).all())


def _assign(codes: list[list[Ints | None]], rows: int) -> Pairs | None:
    width = len(codes)
    choices = [[j for j in range(width) if codes[i][j] is not None] for i in range(width)]
    rows_so_far = np.zeros(2 * rows, np.int64)
    pairs: list[tuple[int, int]] = []
    while len(pairs) < width:
        done, used = {i for i, _ in pairs}, {j for _, j in pairs}
        left = [(len([j for j in choices[i] if j not in used]), i) for i in range(width) if i not in done]
        _, i = min(left)
        picked = _pick(codes[i], [j for j in choices[i] if j not in used], rows_so_far, rows)
        if picked is None:
            return None
        pairs.append((i, picked))
        chosen = codes[i][picked]
        if chosen is not None:
            rows_so_far = combine([rows_so_far, chosen], 2 * rows)
    return tuple(sorted(pairs))


def _pick(row: list[Ints | None], choices: list[int], so_far: Ints, rows: int) -> int | None:
    for j in choices:
        code = row[j]
        if code is None:
            continue
        joint = combine([so_far, code], 2 * rows)
        if _same_multiset(joint[:rows], joint[rows:]):
            return j
    return None
