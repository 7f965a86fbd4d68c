"""Obligations: what a statement requires, which of it the tests check, and why the rest went unnoticed."""

from pytest_lockin.obligations.derive import derive_obligations
from pytest_lockin.obligations.writing import write_obligations

__all__ = ["derive_obligations", "write_obligations"]
