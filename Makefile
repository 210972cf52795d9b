# Three commands matter: `make reproduce`, `make demo`, `make test`. Each sets up .venv on first use.
PYTHON ?= python3
PYTEST_WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
KERNEL := $(VENV)/.kernel
WHEEL_VENV := .venv-wheel
RELEASE_VENV := .venv-release
# Modules are compiled when they are first imported; compiling all of them takes half a minute more.
PIP_INSTALL := -m pip install -qq --disable-pip-version-check --no-compile

# One BLAS thread: the problems are small, and workers must not fight over cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help reproduce demo test lint unit unit-numpy coverage wheel sanitize test-torch soak matrix machines release-check setup format clean

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

reproduce: $(STAMP)  ## every figure of the paper at smoke size, as one page: reproduction-smoke/report.html
	$(BIN)/projstg reproduce --size smoke --out reproduction-smoke

demo: $(STAMP)  ## choose columns on a simulated problem and on the diabetes table
	$(BIN)/python examples/demo.py

# Lint and wheel use one core each, the tests all of them.
test: $(STAMP)  ## lint, types, tests with doctests, and the wheel in an environment of its own
	$(MAKE) --no-print-directory -j 2 lint wheel
	$(MAKE) --no-print-directory unit

lint: $(STAMP)  ## format, lint and types, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# Without the kernel the rooms that it serves are tested again, and under another core type of OpenBLAS
# than this machine's those whose numbers come from BLAS and LAPACK. Coverage of _core is that of its own
# tests, both ways; tracing takes two minutes more, so `make test` leaves it out.
CORE_TESTS := tests/_core tests/model_selection/test_paths.py \
	$(patsubst %,tests/estimators/test_%.py,projected_stg stg validation)
NUMPY_TESTS := $(addprefix tests/_core/,search posterior data/test_standard_table.py)
KERNEL_TESTS := $(NUMPY_TESTS) $(addprefix tests/_core/,kernel pipeline)
NUMERICAL_TESTS := $(addprefix tests/_core/,kernel pipeline search) \
	$(addprefix tests/model_selection/test_,knockoffs.py paths.py) tests/tables/selection/test_prediction.py
PYTEST = $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist worksteal -m "not torch"

# The page is also opened in headless Chromium where one is installed (Debian: apt install chromium).
unit: $(KERNEL)  ## tests and doctests, some of them again without the kernel and as on another processor
	$(PYTEST)
	PROJSTG_KERNEL=0 $(PYTEST) $(NUMPY_TESTS)
	$(BIN)/python tests/machines.py another-core --tests "$(NUMERICAL_TESTS)" --workers $(PYTEST_WORKERS)

unit-numpy: $(KERNEL)  ## all tests and doctests without the kernel
	PROJSTG_KERNEL=0 $(PYTEST)

coverage: $(KERNEL)  ## the coverage floor of _core
	$(PYTEST) --cov --cov-report= --cov-fail-under=0 $(CORE_TESTS)
	PROJSTG_KERNEL=0 $(PYTEST) --cov --cov-append --cov-report=term $(NUMPY_TESTS)

wheel: $(STAMP)  ## build the wheels with and without the kernel, install each alone, use it from another folder
	rm -rf dist
	PROJSTG_PURE=1 $(BIN)/python -m build --wheel --no-isolation --outdir dist/pure
	$(BIN)/python -m build --wheel --no-isolation --outdir dist
	$(PYTHON) -m venv --clear $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/python $(PIP_INSTALL) -c requirements/dev.txt dist/*.whl
	root=$$(pwd) && cd / && "$$root/$(WHEEL_VENV)/bin/python" -I "$$root/tests/check_wheel.py"
	$(WHEEL_VENV)/bin/python $(PIP_INSTALL) --force-reinstall --no-deps dist/pure/*.whl
	root=$$(pwd) && cd / && "$$root/$(WHEEL_VENV)/bin/python" -I "$$root/tests/check_wheel.py" any

# With the sanitizers' own allocator in front; leaks of the interpreter are none of the kernel's.
SANITIZERS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -DPROJSTG_ONE_PATH
sanitize: $(STAMP)  ## the kernel's tests with address and undefined-behaviour sanitizers
	PROJSTG_CFLAGS="$(SANITIZERS)" $(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	PROJSTG_CFLAGS="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libubsan.so)" \
		$(BIN)/python -m pytest -q -p no:cacheprovider $(KERNEL_TESTS)
	$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .

test-torch: $(STAMP)  ## the tests that need torch
	$(BIN)/python $(PIP_INSTALL) -r requirements/torch.txt
	SCIPY_ARRAY_API=1 $(BIN)/python -m pytest -m torch

soak: $(STAMP)  ## properties, hostile files and faults for up to 20 minutes; counts add up in .soak/
	$(BIN)/python tests/soak.py --workers $(PYTEST_WORKERS)

matrix: $(STAMP)  ## the tests with the oldest and the newest NumPy, SciPy, scikit-learn, on every Python here
	$(BIN)/python tests/matrix.py --workers $(PYTEST_WORKERS)

machines: $(KERNEL)  ## the tests under one changed factor at a time: RUNS="haswell ascii", TESTS="tests/plots"
	$(BIN)/python tests/machines.py $(RUNS) --tests "$(TESTS)" --workers $(PYTEST_WORKERS)

release-check: $(STAMP)  ## whether version, changelog, sdist and wheel are those of a release
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist
	$(PYTHON) -m venv --clear $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/python $(PIP_INSTALL) -r requirements/release.txt
	$(RELEASE_VENV)/bin/twine check --strict dist/*
	$(BIN)/python tests/check_release.py

setup: $(STAMP)  ## only create .venv, with everything the commands and benchmarks use

format: $(STAMP)  ## format the code and sort its imports
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## remove environments, builds and caches
	rm -rf $(VENV) $(WHEEL_VENV) $(RELEASE_VENV) .venv-matrix dist build .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache

$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("projstg needs Python 3.11 or newer; say which, e.g. make PYTHON=python3.13" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP_INSTALL) -r requirements/dev.txt
	$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@# On all cores, where pip would use one; what a library cannot compile it does not import.
	-@$(BIN)/python -W ignore -m compileall -qq -j 0 $(VENV)/lib
	@touch $@ $(KERNEL)

# The kernel is compiled by the installation, again where its sources have changed since.
$(KERNEL): $(STAMP) hatch_build.py $(wildcard src/projstg/_core/kernel/*.[ch]) src/projstg/_core/kernel/library.py
	$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@touch $@
