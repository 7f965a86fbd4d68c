"""pytest's serialised reports as JSON text, and back with the tuples that JSON turns into lists."""

from __future__ import annotations

import json
from typing import Any

import pytest
from _pytest.reports import CollectErrorRepr


def pack_report(config: pytest.Config, report: Any) -> str:
    """Serialise a report with whatever plugins add to it; what JSON does not know becomes its `str`."""
    data = config.hook.pytest_report_to_serializable(config=config, report=report)
    return json.dumps(data, default=str)


def unpack_report(config: pytest.Config, text: str) -> Any:
    """Build the report again; None where no plugin here knows its type (as pytest's own hook says it)."""
    data = json.loads(text)
    # Reporters rely on the exact types: a skip's place is a tuple for JUnit, a section a pair.
    if isinstance(data.get("longrepr"), list):
        data["longrepr"] = tuple(data["longrepr"])
    if isinstance(data.get("location"), list):
        data["location"] = tuple(data["location"])
    for name in ("sections", "user_properties"):
        if name in data:
            data[name] = [tuple(pair) for pair in data[name]]
    report = config.hook.pytest_report_from_serializable(config=config, data=data)
    if isinstance(report, pytest.CollectReport) and isinstance(report.longrepr, str):
        # Serialising flattened it; as a bare string its first line would go into the short summary.
        report.longrepr = CollectErrorRepr(report.longrepr)
    context = data.get("_subtest.context")
    if context is not None and hasattr(report, "context"):
        # pytest takes the repr of a sub-test's values when it makes the context, and again here.
        object.__setattr__(report.context, "kwargs", context["kwargs"])
    return report


__all__ = ["pack_report", "unpack_report"]
