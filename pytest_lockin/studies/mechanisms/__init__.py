"""The evaluator evaluated: suites made wrong on purpose, sealed labels, scores (PAPERS A3)."""
