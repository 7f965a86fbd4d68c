"""Hand-written PySpark programs, one per task: independent readings of the TPC-DS statements.

These files are data: `lockin tasks build` copies them beside the other references, and a reference process
loads them from there. Nothing in the package imports them. Each one reads only the columns it needs, uses
the DataFrame API alone, and gives the statement's column names, Spark types, rows, order and limit.
"""
