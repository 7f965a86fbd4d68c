"""The gate: what was found, what of it is known or allowed, and pass or fail. Nothing is run here."""

from pytest_lockin.gate.decide import decide_gate, find_weakness
from pytest_lockin.gate.findings import find_findings

__all__ = ["decide_gate", "find_findings", "find_weakness"]
