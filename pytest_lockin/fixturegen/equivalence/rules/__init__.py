"""The rules of proofs, one family a file."""
