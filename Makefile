# Every target sets up what it needs in .venv; nothing outside this folder is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
# many tests wait for a server more than they compute, so a few more processes than cores pay off
PYTEST := --numprocesses 4 --dist loadfile

.PHONY: help test demo serve lint format bench schemas lock clean

help: ## list the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -e 's/:.*##/\t/'

$(INSTALLED): requirements/dev.txt pyproject.toml
	@command -v git >/dev/null || { echo "Planproof needs git on the PATH." >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "Planproof needs Python 3.11 or newer; there is no '$(PYTHON)' here. Try: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Planproof needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1). Try: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python has no venv module. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) (once, about a minute) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

test: $(INSTALLED) ## lint, types, layers and every test that needs no service
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m schemas.export --check
	$(BIN)/pytest $(PYTEST)

demo: $(INSTALLED) ## a look-alike GitHub, the App and a flawed plan; DEMO_ONCE=1 exits after printing
	@$(BIN)/python -m tests.demo

serve: $(INSTALLED) ## the real App, with the settings of the environment or .env
	@$(BIN)/planproof serve

lint: $(INSTALLED) ## ruff, mypy and the layers only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(INSTALLED) ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(INSTALLED) ## speed, as ratios measured in one run
	@$(BIN)/python -m bench.ratios

schemas: $(INSTALLED) ## write schemas/*.schema.json anew from the models
	$(BIN)/python -m schemas.export

lock: $(INSTALLED) ## pin every dependency anew, with hashes
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate pyproject.toml -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra dev pyproject.toml -o requirements/dev.txt

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
