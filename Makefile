# `make demo` and `make test` do all the set-up by themselves, in .venv.

PYTHON ?= python3
BIN := .venv/bin
# How many hostile inputs `make fuzz` tries, and then how long it tries fresh examples.
INPUTS ?= 200000
MINUTES ?= 10

.PHONY: demo test fuzz pins bench docs clean

demo: .venv/installed
	$(BIN)/doxeval demo --force

test: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto

fuzz: .venv/installed
	$(BIN)/python scripts/fuzz.py --inputs $(INPUTS)
	$(BIN)/python scripts/damage.py
	$(BIN)/python scripts/kill.py
	$(BIN)/python scripts/explore.py --minutes $(MINUTES)

pins: .venv/installed
	$(BIN)/python scripts/pins.py

bench: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[bench]" -c constraints.txt
	$(BIN)/python benchmarks/collection.py
	$(BIN)/python benchmarks/formats.py
	$(BIN)/python benchmarks/duplicates.py
	$(BIN)/python benchmarks/evaluate.py
	$(BIN)/python benchmarks/search.py

docs: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[docs]" -c constraints.txt
	$(BIN)/python scripts/document.py
	$(BIN)/zensical build --clean --strict

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("doxeval needs Python 3.11 or later" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	touch $@

clean:
	rm -rf .venv
