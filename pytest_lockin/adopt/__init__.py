"""How a repository begins to use lockin: look at it, plan what to add, show it, write it.

Nothing of the repository is imported or run: functions, tests and settings are read as text.
"""
