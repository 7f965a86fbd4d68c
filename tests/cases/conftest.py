# Suites that tests run in workers of their own; never collected here.
collect_ignore = ["suites"]
