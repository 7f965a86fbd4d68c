# The two lines a newcomer needs are `make demo` and `make test`; README.md spells them out.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
EXAMPLES = q05 q22 q42

.PHONY: demo test lint docs slow bench

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Ends with exit status 1 from pytest on purpose: one example is a false pass. Anything else is a fault.
demo: $(BIN)/python
	$(BIN)/pip install -q -e '.[tpcds]'
	$(BIN)/lockin tasks build --scale 0.01 --out refs $(EXAMPLES)
	$(BIN)/pytest --lockin-reference refs/ --lockin-engine sail --lockin-budget 10 examples/; test $$? -eq 1

test: $(BIN)/python
	$(BIN)/pip install -q -e '.[test]'
	$(BIN)/pytest -n 2

lint: $(BIN)/python
	$(BIN)/pip install -q -e '.[test,lint]'
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(BIN)/python
	$(BIN)/pip install -q -e '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build -q --strict

# What takes too long for every change: scale 1, soak, the whole corpus. Results are kept in docs/.
slow: $(BIN)/python
	$(BIN)/pip install -q -e '.[test]'
	$(BIN)/pytest -m slow

bench: $(BIN)/python
	$(BIN)/pip install -q -e '.[test,bench]'
	$(BIN)/python tests/benchmarks/bench_compare.py
