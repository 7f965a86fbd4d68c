"""Whether two results of a session are the same program: equal plans, not equal rows.

Classic Spark compares optimised plans in canonical form (`LogicalPlan.sameResult`), which sees through the
order of conjuncts, of operands that commute, of a filter and a projection. It ignores names and
nullability, so the schemas are compared too. A plan with a function of Python is equal only to one with the
same pickled function. Sail has no such call: there the unresolved plans are compared, which proves only
that nothing changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_lockin.engines.answers import identify

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine


def is_same_plan(engine: Engine, mine: Any, theirs: Any) -> bool:
    """Tell whether two DataFrames of this engine are surely the same; False where that cannot be told."""
    if not engine.is_frame(mine) or not engine.is_frame(theirs):
        return False
    try:
        if engine.name == "spark":
            return _same_for_catalyst(mine, theirs)
        return engine.name == "sail" and _same_for_client(mine, theirs)
    except Exception:  # noqa: BLE001 - a plan that cannot be made is no proof of anything
        return False


def _same_for_catalyst(mine: Any, theirs: Any) -> bool:
    if mine.schema.jsonValue() != theirs.schema.jsonValue():
        return False
    plans = [each._jdf.queryExecution().optimizedPlan() for each in (mine, theirs)]
    return bool(plans[0].sameResult(plans[1]))


def _same_for_client(mine: Any, theirs: Any) -> bool:
    plans = [identify(each._plan.to_proto(each._session.client)) for each in (mine, theirs)]
    return plans[0] is not None and plans[0] == plans[1]


__all__ = ["is_same_plan"]
