# Every chore of the book, one target each. CI runs the same ones.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Stored outputs must be the same on old and new processors; ARM knows only the plain code.
CAPABILITIES := default $(if $(filter x86_64,$(shell uname -m)),avx2)
NBVAL := $(BIN)/pytest --nbval --nbval-current-env -p no:cacheprovider -n 2 --dist loadfile

# A reader's own IPython or matplotlib settings must not change an output.
export IPYTHONDIR := $(CURDIR)/.venv/ipython
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib

# Two test workers or notebooks run at once; more threads in each would only wait for each other.
test properties notebooks: export OMP_NUM_THREADS := 1

.PHONY: help setup book serve test properties notebooks weights lint bench screenshots clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):[^#]*## /\1\t/' | expand -t 14

book: .venv/book.stamp  ## build the HTML book from the stored outputs (no PyTorch needed)
	@rm -rf _build  # what is left of an earlier build would hide a warning or keep a removed page
	@$(BIN)/jupyter-book build . -W -n --keep-going --quiet
	@echo "The book is ready. Open $(CURDIR)/_build/html/index.html"

test: book .venv/test.stamp lint  ## build the book, then check everything: code, notebooks, pages
	$(BIN)/python tools/browser.py
	for capability in $(CAPABILITIES); do \
	    ATEN_CPU_CAPABILITY=$$capability $(NBVAL) notebooks; \
	done
	$(BIN)/pytest -n 2 --dist worksteal --least-cases 2000

properties: .venv/test.stamp  ## look for a counterexample in 50,000 new cases (half an hour)
	$(BIN)/pytest -n 2 --dist worksteal --hypothesis-profile exploring --least-cases 50000 \
	    tests/test_properties*.py

notebooks: .venv/test.stamp  ## execute and store the notebooks; ONLY=notebooks/03_attention.ipynb for one
	$(BIN)/python tools/notebooks.py $(ONLY)

lint: .venv/test.stamp  ## check the code's style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: book .venv/bench.stamp  ## measure pages, explorables, layers and the model
	$(BIN)/python tools/browser.py
	for benchmark in benchmarks/*.py; do PYTHONPATH=tools $(BIN)/python $$benchmark; done

screenshots: book .venv/test.stamp  ## take the pictures that README and the front page show
	$(BIN)/python tools/browser.py
	$(BIN)/python tools/screenshots.py

weights: .venv/test.stamp  ## train the date reader again and ship its weights (minutes)
	$(BIN)/python -m follow_the_tensor.training --export src/follow_the_tensor/date_reader.safetensors

serve: book  ## serve the built book at http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html 8000

setup: .venv/test.stamp  ## install everything that tests and notebooks need

clean:  ## remove what the other targets made, .venv included
	rm -rf .venv _build .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed; name yours: make book PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	    echo "Python's venv module is needed; on Debian or Ubuntu install python3-venv" >&2; exit 1; }

.venv/book.stamp: requirements-book.txt | .venv/bin/python
	$(PIP) -r requirements-book.txt
	@touch $@

.venv/test.stamp: requirements.txt pyproject.toml .venv/book.stamp
	$(PIP) -r requirements.txt
	$(PIP) --no-deps --editable .
	$(BIN)/python -c "import matplotlib.font_manager"  # its first run prints a warning into a notebook
	@touch $@

.venv/bench.stamp: requirements-bench.txt .venv/test.stamp
	$(PIP) -r requirements-bench.txt
	@touch $@
