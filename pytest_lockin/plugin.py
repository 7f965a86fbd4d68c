"""The pytest11 entry: options, ini keys, hooks. Imports nothing heavy until lockin is asked for."""
