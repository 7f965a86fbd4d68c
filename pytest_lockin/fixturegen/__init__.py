"""Fixtures: small tables made from a task's contract that tell its variants apart."""
