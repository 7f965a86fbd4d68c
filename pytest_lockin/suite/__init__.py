"""Suites under examination: collect, observe, run."""
