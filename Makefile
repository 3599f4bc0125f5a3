# Everything runs in .venv, made from Python 3.11+ and the package index; nothing else is needed.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .stamps
# Compiled modules are kept, whatever the shell says: the tests start some hundred processes.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/pip --disable-pip-version-check install --quiet --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test test-all check check-format check-types check-imports check-docs format docs bench bench-corpus bench-accuracy clean

help: ## show what can be made
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{printf "  %-16s %s\n", $$1, $$2}'
	@echo "    .ci/run  what continuous integration runs: make check, then make test"

demo: $(STAMPS)/run ## set up, then treat a bundled training that fails: say why, prove the fix, say where the report is
	@$(BIN)/traindx demo

test: $(STAMPS)/dev $(STAMPS)/browser ## set up, then run the tests (some minutes)
	@echo "running the tests"
	@$(BIN)/python -m pytest -n 3 --dist worksteal -m "not slow"

test-all: $(STAMPS)/dev $(STAMPS)/browser ## the same, and all that takes long: every program, every recording made anew (about half an hour)
	@echo "running all tests"
	@$(BIN)/python -m pytest -n 3

check: $(STAMPS)/dev ## format, lint, types, import layers, generated docs fresh
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target check-types check-format check-imports check-docs

check-format:
	@echo "checking format and lint"
	@$(BIN)/ruff format --check --quiet . || { echo "run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .

check-types:
	@echo "checking types"
	@$(BIN)/mypy

check-imports:
	@echo "checking import layers"
	@$(BIN)/lint-imports --no-cache > $(STAMPS)/imports.txt || { cat $(STAMPS)/imports.txt; exit 1; }

check-docs:
	@echo "checking that generated docs are fresh"
	@$(BIN)/python docs/generate.py --check

format: $(STAMPS)/dev ## put the code into the house format
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

docs: $(STAMPS)/dev ## write the pages that are generated from the code, and build the site in build/site
	@$(BIN)/python docs/generate.py
	@$(BIN)/mkdocs build --strict --quiet
	@echo "open build/site/index.html"

bench: $(STAMPS)/bench ## measure reading speed against the peers, side by side (about ten minutes)
	@$(BIN)/python bench/ingest.py

bench-corpus: $(STAMPS)/dev ## train and record the corpus anew, and ask every sign of it (about two hours; can be stopped and resumed)
	@PYTHONPATH=bench $(BIN)/python -m corpus.make
	@PYTHONPATH=bench $(BIN)/python -m corpus.table
	@PYTHONPATH=bench $(BIN)/python -m corpus.programs
	@PYTHONPATH=bench $(BIN)/python -m corpus.limits

bench-accuracy: $(STAMPS)/dev ## fit the points to the corpus, score them on kinds never seen, write docs/accuracy.md (some minutes)
	@PYTHONPATH=bench $(BIN)/python -m corpus.fit
	@test ! -d .traindx/corpus || PYTHONPATH=bench $(BIN)/python -m corpus.detection
	@PYTHONPATH=bench $(BIN)/python -m corpus.accuracy

clean: ## remove everything that was made
	@rm -rf $(VENV) $(STAMPS) .pytest_cache .mypy_cache .ruff_cache .hypothesis .traindx build dist

$(BIN)/python:
	@echo "making the environment $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "traindx needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(STAMPS)/run: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing traindx and torch (a minute)"
	@$(PIP) --editable '.[plots,torch]'
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing traindx and what its tests and checks need (a minute)"
	@$(PIP) --editable '.[dev]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/run

$(STAMPS)/browser: | $(STAMPS)/dev
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome || { \
	    echo "installing Chromium, in which the tests open the HTML report (a minute)" >&2; \
	    sudo=$$([ "$$(id -u)" = 0 ] || echo "sudo -n"); \
	    $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends chromium; } \
	  } > $(STAMPS)/browser.txt || \
	  echo "Chromium could not be installed: tests that need it are skipped, and say so"
	@touch $@

$(STAMPS)/bench: pyproject.toml constraints.txt | $(BIN)/python
	@echo "installing the peers to measure against (some minutes)"
	@$(PIP) --editable '.[bench]'
	@mkdir -p $(STAMPS) && touch $@
