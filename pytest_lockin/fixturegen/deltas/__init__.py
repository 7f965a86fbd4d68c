"""Deltas: perturbed copies of seeds, one change each, so that what the change matters to shows."""
