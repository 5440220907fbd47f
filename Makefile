# The two commands: `make scrub` and `make test`. Both set up .venv first and need only Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CODE := src tests bench tools docs/make_cli.py
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: install install-dev scrub test lint types format bench bench-rules bench-evaluate bench-quality bench-speed docs clean

install: $(VENV)/.base
install-dev: $(VENV)/.dev

$(VENV)/.base: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e '.[dev]'
	touch $(VENV)/.base $@

scrub: install
	$(BIN)/incognote scrub examples/notes --patient-from '^p[0-9]+' -o out/clean --overwrite --report out/report.html

test: install-dev lint types
	$(BIN)/python -m pytest -n 2 --dist loadgroup -q

lint: install-dev
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/lint-imports

types: install-dev
	$(BIN)/mypy

format: install-dev
	$(BIN)/ruff check --fix-only $(CODE)
	$(BIN)/ruff format $(CODE)

bench: bench-evaluate bench-rules

bench-evaluate: install-dev
	$(BIN)/python bench/evaluate_speed.py

bench-rules: install-dev
	$(BIN)/python bench/rules_quality.py

# WRITE=1 writes docs/results/quality.md; PRESIDIO=peers/bin/python adds Presidio (bench/quality.py says how to install it).
bench-quality: install-dev
	$(BIN)/python bench/quality.py $(if $(WRITE),--write) $(if $(PRESIDIO),--presidio $(PRESIDIO))

# Ten minutes on a machine that does nothing else. WRITE=1 writes docs/results/speed.md; PRESIDIO=peers/bin/python adds Presidio;
# ONE_THREAD=1 counts processor time, for a machine that does other work.
bench-speed: install-dev
	$(BIN)/python bench/speed.py $(if $(WRITE),--write) $(if $(PRESIDIO),--presidio $(PRESIDIO)) $(if $(ONE_THREAD),--one-thread)

docs: install-dev
	$(BIN)/python docs/make_cli.py

clean:
	rm -rf $(VENV) build dist out *.egg-info
