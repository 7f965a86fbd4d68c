"""One-to-one matching of rows whose floats are equal only within a tolerance.

Rows fall into groups: equal exact part, and chains of close values in every float column. Rows of two
groups never match, so each group is solved alone. Nearly all groups are cliques (every pair matches) and
are solved together; the rest by a sweep (one float column) or by augmenting paths (several).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pytest_lockin.frames.columns import Digest, are_close
from pytest_lockin.frames.encoding import combine, identify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pytest_lockin.frames.encoding import Floats, Ints
    from pytest_lockin.model.rules import Tolerance

    Bools = NDArray[np.bool_]

_EDGE_BUDGET = 4_000_000
_REFINING_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Partners found: `partner[i]` is the right row of left row i, or -1.

    `complete` is False when a group was too entangled to be solved within the budget; the partners are
    then right, but there may be a larger matching.
    """

    partner: Ints
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaves:
    """All float columns of the rows side by side, each with its tolerance."""

    values: Floats
    tolerances: tuple[Tolerance, ...]

    def close(self, one: Ints, other: Ints) -> Bools:
        out = np.ones(len(one), bool)
        for j, tolerance in enumerate(self.tolerances):
            out &= are_close(self.values[one, j], self.values[other, j], tolerance)
        return out


def match_within_tolerance(digests: Sequence[Digest], cut: int) -> Matching:
    """Give a largest one-to-one matching of the rows before `cut` with the rows from it on."""
    total = len(digests[0].codes)
    leaves = _leaves_of(digests, total)
    side = np.arange(total) >= cut
    groups = group_by_closeness(digests, side)
    partner = np.full(total, -1, np.int64)
    complete = True
    rest = _match_cliques(groups, side, leaves, partner)
    for group in rest:
        complete &= _match_group(group[~side[group]], group[side[group]], leaves, partner)
    partner = partner[:cut]
    return Matching(partner=np.where(partner >= 0, partner - cut, -1), complete=complete)


def _leaves_of(digests: Sequence[Digest], total: int) -> _Leaves:
    parts = [d for d in digests if d.tolerance is not None]
    values = np.hstack([d.leaves for d in parts]) if parts else np.zeros((total, 0))
    tolerances = tuple(d.tolerance for d in parts if d.tolerance for _ in range(d.leaves.shape[1]))
    keep = [j for j in range(values.shape[1]) if not (values[:, j] == values[:1, j]).all()]
    return _Leaves(values=values[:, keep], tolerances=tuple(tolerances[j] for j in keep))


def group_by_closeness(digests: Sequence[Digest], side: Bools | None = None) -> Ints:
    """Give each row a group such that rows of two groups never match.

    With `side`, groups that have rows of one side only are not split any further: nothing in them matches.
    """
    total = len(digests[0].codes)
    groups = combine([d.codes for d in digests], total)
    leaves = _leaves_of(digests, total)
    for _ in range(_REFINING_ROUNDS):
        split = False
        for j, tolerance in enumerate(leaves.tolerances):
            rows = np.arange(total) if side is None else np.flatnonzero(_have_both(groups, side)[groups])
            groups, more = _split_chains(groups, rows, leaves.values[rows, j], tolerance)
            split |= more
        # One column is split for good in one round; several may open one another.
        if not split or len(leaves.tolerances) == 1:
            break
    return identify(pa.array(groups))


def _have_both(groups: Ints, side: Bools) -> Bools:
    total = np.bincount(groups)
    right = np.bincount(groups, side, len(total))
    return np.asarray((right > 0) & (right < total))


def _split_chains(groups: Ints, rows: Ints, values: Floats, tolerance: Tolerance) -> tuple[Ints, bool]:
    """Split the groups of these rows where two neighbours in the order of values are not close."""
    some = groups[rows]
    order = np.lexsort((values, some))
    ordered, lined = some[order], values[order]
    apart = ordered[1:] != ordered[:-1]
    cuts = apart | ~are_close(lined[1:], lined[:-1], tolerance)
    out = groups.copy()
    fresh = int(groups.max(initial=-1)) + 1
    out[rows[order[1:]]] = fresh + np.cumsum(cuts)
    out[rows[order[:1]]] = fresh
    return out, bool((cuts != apart).any())


def chain_codes(digest: Digest) -> Ints:
    """Give codes that are equal for rows which may agree in this column: a cheap stand-in for closeness."""
    return group_by_closeness([digest]) if digest.tolerance else digest.codes


def rank_in_group(groups: Ints) -> Ints:
    """Number the rows of each group 0, 1, ... in the order they stand."""
    order = np.argsort(groups, kind="stable")
    lined = groups[order]
    starts = np.flatnonzero(np.concatenate([[True], lined[1:] != lined[:-1]])) if len(lined) else lined
    lengths = np.diff(np.append(starts, len(lined)))
    out = np.empty_like(groups)
    out[order] = np.arange(len(lined)) - np.repeat(starts, lengths)
    return out


def pair_equal_keys(left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Pair rows of equal keys, the k-th with the k-th; give the places on both sides."""
    keys = identify(pa.array(np.concatenate([left, right])))
    ranks = np.concatenate([rank_in_group(keys[: len(left)]), rank_in_group(keys[len(left) :])])
    both = combine([keys, ranks], len(keys))
    places = np.full(int(both.max(initial=-1)) + 1, -1, np.int64)
    places[both[: len(left)]] = np.arange(len(left))
    partner = places[both[len(left) :]]
    hit = np.flatnonzero(partner >= 0)
    return partner[hit], hit


def _match_cliques(groups: Ints, side: Bools, leaves: _Leaves, partner: Ints) -> list[Ints]:
    """Match all groups in which every pair is close; give the rows of each group that is not one."""
    clique = _are_cliques(groups, leaves)
    rows = np.flatnonzero(clique[groups])
    mine, yours = rows[~side[rows]], rows[side[rows]]
    one, other = pair_equal_keys(groups[mine], groups[yours])
    partner[mine[one]] = yours[other]
    order = np.argsort(groups, kind="stable")
    bounds = np.searchsorted(groups[order], np.arange(len(clique) + 1))
    counts = np.bincount(groups, side, len(clique)).astype(np.int64)
    both = (counts > 0) & (counts < np.diff(bounds))
    return [order[bounds[g] : bounds[g + 1]] for g in np.flatnonzero(~clique & both)]


def _are_cliques(groups: Ints, leaves: _Leaves) -> Bools:
    out = np.ones(int(groups.max(initial=-1)) + 1, bool)
    for j, tolerance in enumerate(leaves.tolerances):
        low = np.full(len(out), np.inf)
        high = np.full(len(out), -np.inf)
        np.minimum.at(low, groups, leaves.values[:, j])
        np.maximum.at(high, groups, leaves.values[:, j])
        # The relative part grows with the size, so the smallest values decide.
        near = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
        out &= are_close(low, high, tolerance) & (
            high - low <= tolerance.absolute + tolerance.relative * near
        )
    return out


def _match_group(mine: Ints, yours: Ints, leaves: _Leaves, partner: Ints) -> bool:
    """Match one entangled group; tell whether the matching is surely a largest one."""
    one, other = _in_order(mine, leaves), _in_order(yours, leaves)
    if len(one) == len(other) and leaves.close(one, other).all():
        partner[one] = other
        return True
    if len(leaves.tolerances) == 1:
        _sweep(one, other, leaves, partner)
        return True
    return _augment(one, other, leaves, partner)


def _in_order(rows: Ints, leaves: _Leaves) -> Ints:
    return rows[np.lexsort(leaves.values[rows].T[::-1])]


def _sweep(one: Ints, other: Ints, leaves: _Leaves, partner: Ints) -> None:
    """Match two sorted rows of numbers; the closest free partner from below is always a safe choice.

    Safe because the values close to x form an interval whose two ends grow with x.
    """
    tolerance = leaves.tolerances[0]
    left, right = leaves.values[one, 0], leaves.values[other, 0]
    i = j = 0
    pairs = []
    reach = tolerance.relative + 2 * float(np.finfo(np.float64).eps)
    lows, highs = left.tolist(), right.tolist()
    while i < len(lows) and j < len(highs):
        x, y = lows[i], highs[j]
        if abs(x - y) <= tolerance.absolute + reach * max(abs(x), abs(y)):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif x < y:
            i += 1
        else:
            j += 1
    if pairs:
        hits = np.array(pairs)
        partner[one[hits[:, 0]]] = other[hits[:, 1]]


def _augment(one: Ints, other: Ints, leaves: _Leaves, partner: Ints) -> bool:
    """Match by augmenting paths (Hopcroft and Karp's phases); greedy alone beyond the edge budget."""
    edges, complete = _edges(one, other, leaves)
    mate_left, mate_right = _largest_matching(edges, len(other))
    del mate_right
    for i, j in enumerate(mate_left):
        if j >= 0:
            partner[one[i]] = other[j]
    return complete


def _edges(one: Ints, other: Ints, leaves: _Leaves) -> tuple[list[list[int]], bool]:
    """List the close partners of each row, looking only at those whose first float is near."""
    tolerance = leaves.tolerances[0]
    line = leaves.values[other, 0]
    value = leaves.values[one, 0]
    # Twice, because the relative part may grow with the other value; true up to a half.
    reach = (
        2 * (tolerance.absolute + (tolerance.relative + 1e-15) * np.abs(value)) + np.finfo(np.float64).tiny
    )
    wide = tolerance.relative > 0.5  # noqa: PLR2004
    starts = np.zeros(len(one), np.int64) if wide else np.searchsorted(line, value - reach, "left")
    stops = np.full(len(one), len(line)) if wide else np.searchsorted(line, value + reach, "right")
    edges: list[list[int]] = []
    left = _EDGE_BUDGET
    for i, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
        stop = min(stop, start + max(left, 0))  # noqa: PLW2901
        near = np.arange(start, stop)
        left -= len(near)
        edges.append(near[leaves.close(np.full(len(near), one[i]), other[near])].tolist())
    return edges, left > 0


def _largest_matching(edges: list[list[int]], width: int) -> tuple[list[int], list[int]]:
    mate_left, mate_right = [-1] * len(edges), [-1] * width
    while True:
        levels = _levels(edges, mate_left, mate_right)
        found = [_extend(i, edges, mate_left, mate_right, levels) for i, j in enumerate(mate_left) if j < 0]
        if not any(found):
            return mate_left, mate_right


def _levels(edges: list[list[int]], mate_left: list[int], mate_right: list[int]) -> list[int]:
    levels = [0 if mate < 0 else -1 for mate in mate_left]
    queue = [i for i, level in enumerate(levels) if level == 0]
    for i in queue:
        for j in edges[i]:
            owner = mate_right[j]
            if owner >= 0 and levels[owner] < 0:
                levels[owner] = levels[i] + 1
                queue.append(owner)
    return levels


def _extend(
    start: int, edges: list[list[int]], mate_left: list[int], mate_right: list[int], levels: list[int]
) -> bool:
    """Find an augmenting path from a free left row and switch it; a stack, not recursion: paths are long."""
    path = [(start, iter(edges[start]))]
    taken: list[int] = []
    while path:
        i, choices = path[-1]
        for j in choices:
            owner = mate_right[j]
            if owner < 0:
                taken.append(j)
                for (row, _), column in zip(path, taken, strict=True):
                    mate_left[row], mate_right[column] = column, row
                return True
            if levels[owner] == levels[i] + 1:
                taken.append(j)
                path.append((owner, iter(edges[owner])))
                break
        else:
            levels[i] = -1
            path.pop()
            if taken:
                taken.pop()
    return False
