"""Arrow in, differences out: canonical form, comparison, ladder."""
