"""Answers of a Sail session kept: the same plan over the same rows is run once.

The alternatives of a trial run ask thousands of questions of a few tables. Within one trial, the replay and
every case that counts, collects or shows the result ask for the same plan; between trials, an edit that
leaves the plan as it was asks what the original asked. A plan is known by its protobuf with the client's plan
numbers replaced by their order of appearance (pyspark numbers every DataFrame it makes).

Kept are answers of plans that stand alone: made of literal rows and relational operators, with nothing read
by name, no user-defined function and no function whose value changes from call to call.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_lockin.engines.base import Engine


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_RELATIONS = _words(
    "project filter join set_op sort limit aggregate local_relation offset deduplicate range subquery_alias "
    "repartition to_df with_columns_renamed show_string drop tail with_columns hint unpivot to_schema "
    "repartition_by_expression html_string cached_local_relation chunked_cached_local_relation transpose "
    "fill_na drop_na replace with_relations lateral_join"
)
_ROWS = frozenset(("local_relation", "cached_local_relation", "chunked_cached_local_relation"))
_EXPRESSIONS = _words(
    "literal unresolved_attribute unresolved_function expression_string unresolved_star alias cast "
    "unresolved_regex sort_order lambda_function window unresolved_extract_value update_fields "
    "unresolved_named_lambda_variable subquery_expression named_argument_expression"
)
_VOLATILE = _words(
    "rand randn random randstr uniform uuid shuffle monotonically_increasing_id spark_partition_id "
    "input_file_name input_file_block_start input_file_block_length now curdate current_date "
    "current_timestamp localtimestamp current_time unix_timestamp current_user user session_user "
    "current_timezone reflect java_method try_reflect"
)
_VOLATILE_TEXT = re.compile(rf"\b(?:{'|'.join(sorted(_VOLATILE))})\b", re.IGNORECASE)
_MOST_ANSWERS = 512
_MOST_BYTES = 1_000_000


class Answers:
    """What a Sail session answered, for plans that stand alone; the least recently asked go first."""

    def __init__(self, client: Any) -> None:
        self._fetch: Any = client._execute_and_fetch
        self._analyze: Any = client._analyze
        self._config: Any = client.config
        self._kept: OrderedDict[tuple[str, bytes], Any] = OrderedDict()
        client._execute_and_fetch = self.fetch
        client._analyze = self.analyze
        client.config = self.config

    def config(self, operation: Any) -> Any:
        """Read or change settings; a change makes every answer void."""
        if operation.WhichOneof("op_type") not in ("get", "get_with_default", "get_option"):
            self._kept.clear()
        return self._config(operation)

    def fetch(self, request: Any, observations: Any, *args: Any, **kwargs: Any) -> Any:
        """Run a plan, or give what it gave; errors are not kept."""
        key = None
        if not observations and not args and not kwargs and request.plan.HasField("root"):
            key = identify(request.plan)
        return self._ask(("rows", key), lambda: self._fetch(request, observations, *args, **kwargs))

    def analyze(self, method: str, **given: Any) -> Any:
        """Ask for a plan's schema, or give what was answered; other questions are passed on."""
        key = identify(given["plan"]) if method == "schema" else None
        return self._ask((method, key), lambda: self._analyze(method, **given))

    def _ask(self, key: tuple[str, bytes | None], ask: Any) -> Any:
        method, digest = key
        if digest is None:
            return ask()
        known = self._kept.get((method, digest))
        if known is None:
            known = ask()
            if _size(known) <= _MOST_BYTES:
                self._kept[method, digest] = known
                if len(self._kept) > _MOST_ANSWERS:
                    self._kept.popitem(last=False)
        else:
            self._kept.move_to_end((method, digest))
        return known


def remember_answers(engine: Engine) -> None:
    """From now on, ask this engine's session once for what a plan that stands alone gives.

    For sessions whose programs leave no state behind; engines other than Sail are left as they are.
    """
    if engine.name == "sail":
        session: Any = engine._session  # type: ignore[attr-defined]
        Answers(session._client)


def identify(plan: Any) -> bytes | None:
    """A digest that is equal for the same plan over the same rows; None for one that does not stand alone."""
    copied = type(plan)()
    copied.CopyFrom(plan)
    if not _number(copied, {}):
        return None
    return hashlib.blake2b(copied.SerializeToString(deterministic=True), digest_size=16).digest()


def stands_alone(engine: Engine, dataframe: Any) -> bool:
    """Whether a DataFrame of this engine is a plan that means the same in every state of the session."""
    if engine.name != "sail":
        return False
    plan = dataframe._plan.to_proto(dataframe._session.client)
    return _number(plan, {})


def _number(message: Any, numbers: dict[int, int]) -> bool:
    """Give plan numbers in order of appearance; False as soon as something does not stand alone."""
    kind = message.DESCRIPTOR.name
    if kind == "Relation":
        chosen = message.WhichOneof("rel_type")
        if chosen in _ROWS:
            # The rows themselves hold no numbers.
            return _number(message.common, numbers)
        steady = chosen in _RELATIONS
    elif kind == "Expression":
        chosen = message.WhichOneof("expr_type")
        if chosen == "literal":
            return True
        steady = chosen in _EXPRESSIONS
    else:
        steady = not _is_volatile(kind, message)
    return steady and all(
        _number_field(message, field, value, numbers) for field, value in message.ListFields()
    )


def _is_volatile(kind: str, message: Any) -> bool:
    if kind == "UnresolvedFunction":
        return message.is_user_defined_function or message.function_name.lower() in _VOLATILE
    return kind == "ExpressionString" and bool(_VOLATILE_TEXT.search(message.expression))


def _number_field(message: Any, field: Any, value: Any, numbers: dict[int, int]) -> bool:
    if field.name == "plan_id":
        setattr(message, field.name, numbers.setdefault(value, len(numbers) + 1))
        return True
    if field.message_type is None:
        return True
    if hasattr(value, "DESCRIPTOR"):
        return _number(value, numbers)
    # A map's values, or a repeated field's members.
    members = value.values() if hasattr(value, "values") else value
    return all(_number(each, numbers) for each in members if hasattr(each, "DESCRIPTOR"))


def _size(answer: Any) -> int:
    table = answer[0] if isinstance(answer, tuple) else None
    return int(table.nbytes) if table is not None else 0


__all__ = ["Answers", "identify", "remember_answers", "stands_alone"]
