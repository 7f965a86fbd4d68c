"""The published experiments, built on the stages: their scores, their tables, their controls."""
