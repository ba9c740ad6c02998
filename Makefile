# Needs python3 (3.11 or newer) with pip, and make. Nothing has to be activated: everything goes into .venv,
# and what is tested and demonstrated there is the built wheel, never the source tree.

PYTHON ?= python3
JOBS ?= 2
# What `make test` runs, and more for pytest: make test ARGS="-k pareto -x"; make test TESTS=tests/unit
TESTS ?= ./tests mococo
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip
# -qq: errors only
INSTALL := install -qq -c constraints.txt
# Extras of pyproject.toml that the tests use.
TEST_EXTRAS := plot play box2d moo tensorboard wandb
# Programs that the tests use: a browser for the pages, and what writes films.
TEST_PROGRAMS := chromium ffmpeg
# Folders are among them, so that a file taken away is noticed too.
SOURCES := $(shell find src -name __pycache__ -prune -o -print) $(wildcard README.md LICENSE)

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A source tree on the path would hide the installed wheel.
unexport PYTHONPATH PYTHONHOME

# Prints the requirements that pyproject.toml lists under each name given: "run", an extra or a dependency group.
# (pip learned to install groups in 25.1; Debian's is older.)
define REQUIREMENTS
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    table = tomllib.load(file)
lists = {
    "run": table["project"]["dependencies"] + table["build-system"]["requires"],
    **table["project"]["optional-dependencies"],
    **table["dependency-groups"],
}
print("\n".join(line for name in sys.argv[1:] for line in lists[name]))
endef
export REQUIREMENTS

.PHONY: help demo test lint lint-code lint-format lint-types lint-layers format wheel docs-images clean
.DELETE_ON_ERROR:

help:
	@echo "make demo        train on Mountain Car with seed 0, into demo-run/, and write a page to explore it"
	@echo "make test        run the tests and the documentation's examples on the installed wheel"
	@echo "make lint        check code, format, types and layers"
	@echo "make format      mend what ruff can mend by itself"
	@echo "make wheel       build dist/mococo-*.whl"
	@echo "make docs-images draw the README's images anew"
	@echo "make clean       remove all that these made, .venv and demo-run/ too"

demo: $(VENV)/.wheel $(VENV)/.plot-deps
	@$(BIN)/mococo train MountainCar-v0 --seed 0 -o demo-run --overwrite
	@$(BIN)/mococo report demo-run

test: $(VENV)/.wheel $(VENV)/.dev-deps $(VENV)/.programs
	@$(BIN)/pytest -n $(JOBS) --dist worksteal --no-header --doctest-modules --pyargs $(TESTS) $(ARGS)

lint: lint-code lint-format lint-types lint-layers

lint-code: $(VENV)/.dev-deps
	@$(BIN)/ruff check

lint-format: $(VENV)/.dev-deps
	@$(BIN)/ruff format --check

lint-types: $(VENV)/.wheel $(VENV)/.dev-deps
	@$(BIN)/mypy -p mococo

lint-layers: $(VENV)/.wheel $(VENV)/.dev-deps
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/.dev-deps
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

wheel: $(VENV)/.run-deps
	@rm -f dist/mococo-*.whl
	@$(BIN)/hatchling build -t wheel -d dist

docs-images: $(VENV)/.wheel $(VENV)/.dev-deps $(VENV)/.programs
	@$(BIN)/python docs/make_images.py

clean:
	rm -rf $(VENV) build dist demo-run .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests -name __pycache__ -prune -exec rm -rf {} +

# Debian's python3 may come without ensurepip; then the system's pip puts a pip inside.
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo >&2 "mococo needs Python 3.11 or newer;" \
	"$(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@echo "Making $(VENV), once ..."
	@$(PYTHON) -m venv --clear $(VENV) >/dev/null 2>&1 || { $(PYTHON) -m venv --clear --without-pip $(VENV) \
	&& $(PYTHON) -m pip --python $(BIN)/python install -qq pip; }
	@touch $@

$(VENV)/.run-deps: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Installing the libraries that mococo needs ..."
	@$(BIN)/python -c "$$REQUIREMENTS" run > $(VENV)/run.txt
	@$(PIP) $(INSTALL) -r $(VENV)/run.txt
	@touch $@

$(VENV)/.plot-deps: $(VENV)/.run-deps
	@echo "Installing what draws figures and pages ..."
	@$(BIN)/python -c "$$REQUIREMENTS" plot > $(VENV)/plot.txt
	@$(PIP) $(INSTALL) -r $(VENV)/plot.txt
	@touch $@

$(VENV)/.dev-deps: $(VENV)/.run-deps Makefile
	@echo "Installing the tools for tests and checks ..."
	@$(BIN)/python -c "$$REQUIREMENTS" dev $(TEST_EXTRAS) > $(VENV)/dev.txt
	@$(PIP) $(INSTALL) -r $(VENV)/dev.txt
	@touch $@

# Where they cannot be installed, the tests that need them are skipped, but not in CI.
$(VENV)/.programs: $(VENV)/.created
	@missing=; for name in $(TEST_PROGRAMS); do command -v $$name >/dev/null || missing="$$missing $$name"; done; \
	if [ -z "$$missing" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	echo "Installing$$missing for the tests ..."; apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null; \
	else echo "Not installed:$$missing. The tests that need them are skipped."; fi
	@touch $@

# numba's compiled files go too: it does not see an edit in a helper that a cached function calls.
$(VENV)/.wheel: $(VENV)/.run-deps $(SOURCES)
	@rm -f dist/mococo-*.whl
	@HATCH_QUIET=1 $(BIN)/hatchling build -t wheel -d dist
	@$(PIP) install -qq --no-deps --no-index --force-reinstall dist/mococo-*.whl
	@find $(VENV) -path '*/mococo/*' -name '*.nb[ci]' -delete
	@touch $@
