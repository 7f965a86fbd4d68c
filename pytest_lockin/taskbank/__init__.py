"""The TPC-DS tasks that come with the project: data, statements, references, lock."""
