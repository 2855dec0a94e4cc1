# The only commands a newcomer needs. Everything runs in .venv.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Two more than the cores: tests wait for processes and clocks, but each worker imports everything.
WORKERS = $(shell $(BIN)/python -c "import os; print((os.cpu_count() or 1) + 2)")

# Some containers turn bytecode off. Tests start a hundred processes, and each would compile the project.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env dev run test test-long coverage check docs bench format language lock clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

env: $(VENV)/.installed $(VENV)/.kernels ## make the environment in .venv

dev: $(VENV)/.installed-dev $(VENV)/.kernels

run: env ## play on Discord if DISCORD_TOKEN is set, else in a sandbox with a web page
	@$(BIN)/python -m bot start

test: dev ## run all tests but the slow ones
	$(BIN)/python -m pytest -n $(WORKERS)

test-long: dev ## run the slow suites too, and print what they measured
	@mkdir -p .cache && rm -f .cache/figures.json
	$(BIN)/python -m pytest -m alone --figures=.cache/figures.json
	$(BIN)/python -m pytest -n $(WORKERS) -m "not alone" --figures=.cache/figures.json

coverage: dev ## print the share of each package's lines and branches that the tests run
	@rm -rf .cache/coverage && mkdir -p .cache/coverage
	$(BIN)/coverage run -m pytest -q -n auto --timeout=600 $(TESTS)
	@$(BIN)/coverage combine -q && $(BIN)/coverage report > .cache/coverage/report.txt
	@for each in engine bot cogs deploy; do \
		echo "$$each $$($(BIN)/coverage report --include="$$each/*" --precision=1 --format=total) %"; done
	@echo "Lines that no test runs: .cache/coverage/report.txt"

check: dev ## lint, types, import contracts, docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q tests/test_docs.py

docs: env ## update deploy/COMMANDS.md, deploy/SCALE.md and the README's pictures after changes
	$(BIN)/python -m bot commands deploy/COMMANDS.md
	$(BIN)/python -m bot pictures deploy/pictures
	$(BIN)/python -m deploy.scale deploy/SCALE.md

bench: dev $(VENV)/.installed-bench ## print speeds as ratios
	$(BIN)/python -m engine bench
	$(BIN)/python -m bot bench

format: dev ## format the code, and apply ruff's fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

language: dev ## write new texts into the catalogues, and report mistakes in them
	$(BIN)/python -m bot.language update
	$(BIN)/python -m bot.language check

lock: dev ## pin the newest versions that pyproject.toml allows
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade pyproject.toml -o deploy/requirements.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --extra postgresql pyproject.toml -c deploy/requirements.txt -o deploy/requirements-postgresql.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --extra cluster pyproject.toml -c deploy/requirements.txt -o deploy/requirements-cluster.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --group dev pyproject.toml -c deploy/requirements.txt -o deploy/requirements-dev.txt
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
		--upgrade --group bench -c deploy/requirements-dev.txt -o deploy/requirements-bench.txt

clean: ## remove the environment and every cache (never the games in data/)
	rm -rf $(VENV) .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found. \
	Install it, or name it: make PYTHON=/path/to/python3.12"; exit 1; }
	@echo "Making the environment in $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "Python's venv module is needed \
	(on Debian and Ubuntu: apt install python3-venv)."; exit 1; }

$(VENV)/.installed: deploy/requirements.txt | $(BIN)/python
	@echo "Installing the packages of deploy/requirements.txt ..."
	@$(BIN)/python -m pip install -q --require-hashes -r deploy/requirements.txt
	@touch $@

$(VENV)/.installed-dev: deploy/requirements-dev.txt | $(BIN)/python
	@echo "Installing the packages of deploy/requirements-dev.txt ..."
	@$(BIN)/python -m pip install -q --require-hashes -r deploy/requirements-dev.txt
	@touch $@

# Only for comparison: if it cannot be installed, the bench says so and goes on.
$(VENV)/.installed-bench: deploy/requirements-bench.txt | $(VENV)/.installed-dev
	@echo "Installing the packages of deploy/requirements-bench.txt ..."
	@$(BIN)/python -m pip install -q --require-hashes -r deploy/requirements-bench.txt \
		|| echo "OpenSpiel could not be installed; the bench leaves it out."
	@touch $@

# Compiled once here, so that the bot itself starts in under two seconds.
$(VENV)/.kernels: $(wildcard engine/kernels/*.py engine/lab/kernels/*.py) $(VENV)/.installed
	@$(BIN)/python -m engine compile
	@touch $@
