# `make demo` and `make test` do all the set-up by themselves, in .venv.

PYTHON ?= python3
BIN := .venv/bin
# How long `make fuzz` tries fresh examples.
MINUTES ?= 10
# Tests start hundreds of processes, which should not compile the same sources again and again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo demo-assess test test-long test-libraries test-all fuzz pins bench docs package web web-check clean

demo: .venv/installed
	$(BIN)/doxeval demo --force

# The assessment application on the demo collection, with an account and a topic that is half done.
demo-assess: .venv/installed
	$(BIN)/doxeval assess demo --open

# The unit level: everything that is quick, with nothing to install but Python packages.
test: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest tests/unit src -n 2 --dist worksteal -p no:schemathesis

# Browsers, databases, clusters, kills, damage, many worlds, and what the documentation shows. Chromium,
# PostgreSQL and axe-core are installed where that is allowed; pytest names what it skips.
test-long: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[docs]" -c constraints.txt
	scripts/parts.sh
	DOXEVAL_TEST_LEVEL=long $(BIN)/pytest tests -n 3 --dist loadfile

# What real splitters, stores and retrievers return. Their packages are many, so they have an environment of their own.
LIBRARIES := .venv-libraries/bin
test-libraries: .venv-libraries/installed
	DOXEVAL_TEST_LEVEL=long $(LIBRARIES)/pytest -n 0 tests/long/chunks/test_real_splitters.py \
		tests/long/chunks/test_real_stores.py tests/long/locating/test_splitters_located.py \
		tests/unit/measures/test_results_as_units.py \
		tests/docs/test_studies.py::test_guides_show_what_other_libraries_do

.venv-libraries/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv --upgrade-deps .venv-libraries
	$(LIBRARIES)/pip install --quiet --disable-pip-version-check -e '.[test,splitters]' -c constraints.txt
	touch $@

test-all: test test-long

fuzz: .venv/installed
	$(BIN)/python scripts/fuzz.py --minutes $(MINUTES)
	$(BIN)/python scripts/faults.py damage
	$(BIN)/python scripts/faults.py commands
	$(BIN)/python scripts/faults.py cluster
	$(BIN)/python scripts/assessors.py

pins: .venv/installed
	$(BIN)/python scripts/pins.py

bench: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[bench]" -c constraints.txt
	$(BIN)/python benchmarks/collection.py
	$(BIN)/python benchmarks/merging.py
	$(BIN)/python benchmarks/remote.py
	$(BIN)/python benchmarks/formats.py
	$(BIN)/python benchmarks/duplicates.py
	$(BIN)/python benchmarks/evaluate.py
	$(BIN)/python benchmarks/blocks.py
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/search.py
	$(BIN)/python benchmarks/chunks.py
	$(BIN)/python benchmarks/report.py

# Packages in dist/, checked, and the wheel tried in an empty environment of every Python here.
package: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[package]" -c constraints.txt
	$(BIN)/python scripts/package.py

docs: .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[docs]" -c constraints.txt
	$(BIN)/python scripts/document.py
	$(BIN)/zensical build --clean --strict

# The scripts and styles of the pages, bundled from web/ into the package; needs Node.
web: web/node_modules/installed .venv/installed
	$(BIN)/python scripts/wire_types.py
	cd web && npm run --silent check && npm run --silent build

# That the sources pass their tests and the committed bundles are what they give.
web-check: web/node_modules/installed
	cd web && npm run --silent check && npm test --silent && rm -rf node_modules/bundle && node build.mjs node_modules/bundle
	diff -rq web/node_modules/bundle/reports/assets src/doxeval/reports/assets
	diff -rq web/node_modules/bundle/assess/assets src/doxeval/assess/assets

web/node_modules/installed: web/package.json web/package-lock.json
	cd web && npm ci --no-fund --no-audit --ignore-scripts
	touch $@

.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("doxeval needs Python 3.11 or later" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]' -c constraints.txt
	touch $@

clean:
	rm -rf .venv .venv-libraries
