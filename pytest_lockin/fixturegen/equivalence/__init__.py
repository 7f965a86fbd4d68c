"""Proofs that two statements give the same results on all legal data."""

from __future__ import annotations

from pytest_lockin.fixturegen.equivalence.prove import RULES, Proof, Prover, prove_equivalent

__all__ = ["RULES", "Proof", "Prover", "prove_equivalent"]
