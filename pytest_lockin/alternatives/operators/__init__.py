"""The operator families, one a file, in the order their edits are made.

Two families can arrive at the same text; the first one keeps it.
"""
