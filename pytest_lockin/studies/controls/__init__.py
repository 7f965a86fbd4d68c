"""Controls of the comparator: known perturbations of references, each verified to be one (PAPERS A1.31)."""

from pytest_lockin.studies.controls.report import ControlRecord, ControlReport, render_controls
from pytest_lockin.studies.controls.run import run_controls

__all__ = ["ControlRecord", "ControlReport", "render_controls", "run_controls"]
