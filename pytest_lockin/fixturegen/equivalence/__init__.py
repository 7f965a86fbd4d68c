"""Proofs that two statements give the same results on all legal data."""
