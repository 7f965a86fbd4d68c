"""Coverage in a worker: started with the controller's settings, its data sent back as bytes."""

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
    """A measurement of this process; `finish` stops it and gives its data in coverage.py's own format."""

    def __init__(self, measurement: Any) -> None:
        self._measurement = measurement

    def finish(self) -> bytes:
        """Stop measuring; return the serialised data."""
        self._measurement.stop()
        return bytes(self._measurement.get_data().dumps())


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
    """Add a worker's data to a measurement's own."""
    import coverage

    received = coverage.CoverageData(no_disk=True)
    received.loads(data)
    measurement.get_data().update(received)
