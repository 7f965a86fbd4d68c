"""Obligations: what a statement requires, which of it the tests check, and why the rest went unnoticed."""
