PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
# One BLAS thread for each of the parallel test processes.
PYTEST := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(RUN) -m pytest -n auto -q

.PHONY: demo test test-slow lint docs bench fuzz matrix clean

demo: $(VENV)/.user
	$(RUN) -m pauca demo

test: $(VENV)/.dev
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.dev
	$(PYTEST) -m slow

lint: $(VENV)/.dev
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy
	$(RUN) -m pyright --pythonpath $(RUN)
	$(RUN) -m codespell_lib

# The site with the gallery run, in docs/_build/html; a warning is an error.
docs: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(RUN) -m sphinx -W --keep-going -b html docs docs/_build/html

# Oldest and newest versions of the dependencies, on every declared Python that this machine has.
matrix: $(VENV)/.dev
	$(RUN) -m nox

# Hostile fits by number, so many batches at a time; a run that was killed continues: make fuzz N=100000 JOBS=2
N ?= 10000
JOBS ?= 1
fuzz: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(RUN) tests/fuzz/run.py --cases $(N) --jobs $(JOBS)

bench: $(VENV)/.bench
	$(RUN) -m benchmarks

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --upgrade pip

$(VENV)/.user: pyproject.toml | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --editable ".[cli,plot,persist]"
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.user

$(VENV)/.bench: pyproject.toml | $(VENV)/bin/python
	$(RUN) -m pip install --quiet --editable ".[bench]"
	touch $@ $(VENV)/.dev $(VENV)/.user

clean:
	rm -rf $(VENV) build dist docs/_build docs/api docs/gallery .pytest_cache .mypy_cache .ruff_cache .hypothesis .nox
