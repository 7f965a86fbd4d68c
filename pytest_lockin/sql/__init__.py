"""Reading statements of Spark SQL: qualified names, lineage, types. Knows no stage."""
