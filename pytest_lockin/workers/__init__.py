"""Processes that run untrusted code: pool, child, wire. Knows no stage."""
