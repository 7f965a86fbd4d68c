"""Coverage in a worker: started with the controller's settings, its data sent back as plain values.

Coverage's own serialisation is a script of SQL that reading runs: not from a process that runs others' code.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_lockin.model.messages import CoverageSpec

if TYPE_CHECKING:
    from pathlib import Path

# The settings of a running measurement that decide what is measured, by coverage.py's own option names.
_SETTINGS = (
    "run:source",
    "run:source_pkgs",
    "run:include",
    "run:omit",
    "run:branch",
    "run:relative_files",
    "run:timid",
)


class WorkerCoverage:
    """A measurement of this process; `finish` stops it and gives its data."""

    def __init__(self, measurement: Any) -> None:
        self._measurement = measurement

    def finish(self) -> bytes:
        """Stop measuring; return lines or arcs by file and context, and tracers, as JSON."""
        self._measurement.stop()
        data = self._measurement.get_data()
        kind = "arcs" if data.has_arcs() else "lines"
        contexts = {}
        for context in data.measured_contexts() or {""}:
            data.set_query_context(context)
            found = {file: getattr(data, kind)(file) for file in data.measured_files()}
            contexts[context] = {file: list(each) for file, each in found.items() if each is not None}
        data.set_query_contexts(None)
        tracers = {file: data.file_tracer(file) for file in data.measured_files()}
        named = {file: tracer for file, tracer in tracers.items() if tracer}
        return json.dumps({"kind": kind, "contexts": contexts, "tracers": named}).encode()


def start_coverage(spec: CoverageSpec | None, scratch: Path) -> WorkerCoverage | None:
    """Start to measure as the controller does, or not at all when it does not."""
    if spec is None:
        return None
    import coverage

    measurement = coverage.Coverage(
        data_file=str(scratch / ".coverage"), config_file=spec.config_file or False, check_preimported=True
    )
    for name, value in json.loads(spec.settings_json).items():
        measurement.set_option(name, value)
    measurement.start()
    return WorkerCoverage(measurement)


def describe_coverage(measurement: Any) -> CoverageSpec:
    """Read a running measurement's settings, for a worker to measure the same way."""
    values = {name: measurement.get_option(name) for name in _SETTINGS}
    config_file = measurement.config.config_file or ""
    return CoverageSpec(
        config_file=config_file,
        settings_json=json.dumps({name: value for name, value in values.items() if value}),
    )


def add_coverage(measurement: Any, data: bytes) -> None:
    """Add a worker's data to a measurement's own; what is not of the right shape is left out."""
    import coverage

    received = coverage.CoverageData(no_disk=True)
    try:
        said = json.loads(data)
        for context, files in said["contexts"].items():
            received.set_context(str(context))
            _add(received, said["kind"], files)
        received.add_file_tracers({str(file): str(name) for file, name in said["tracers"].items()})
    except (ValueError, TypeError, KeyError, AttributeError, coverage.exceptions.CoverageException):
        return
    measurement.get_data().update(received)


def _add(received: Any, kind: str, files: dict[str, Any]) -> None:
    if kind == "arcs":
        received.add_arcs({file: [(int(a), int(b)) for a, b in pairs] for file, pairs in files.items()})
    else:
        received.add_lines({file: [int(line) for line in lines] for file, lines in files.items()})
