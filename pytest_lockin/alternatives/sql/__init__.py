"""The SQL front end: variants of a reference's statement."""
