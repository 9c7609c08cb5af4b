# Every chore of the book, one target each. CI runs the same ones.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Stored outputs must be the same on old and new processors; ARM knows only the plain code.
NEW := $(if $(filter x86_64,$(shell uname -m)),avx2,default)
validate = -m pytest --nbval --nbval-current-env -p no:cacheprovider -q -n 2 --dist loadfile

# A reader's own IPython or matplotlib settings must not change an output.
export IPYTHONDIR := $(CURDIR)/.venv/ipython
export MPLCONFIGDIR := $(CURDIR)/.venv/matplotlib

# Two test workers or notebooks run at once; more threads in each would only wait for each other.
check test downloads versions properties notebooks chapter: export OMP_NUM_THREADS := 1

.PHONY: help setup book serve check test downloads versions properties notebooks chapter weights \
    lint format check-workflows bench screenshots pdf publish wheel release small-torch lock \
    install clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 18

book: .venv/book.stamp  ## build the HTML book from the stored outputs (no PyTorch needed)
	@$(BIN)/python -m tools.names
	@# What is left of an earlier build would hide a warning or keep a removed page. The PDF may stay.
	@if [ -d _build ]; then find _build -type f ! -name '*.pdf' -delete; fi
	@$(BIN)/python -m tools.book
	@echo "The book is ready. Open $(CURDIR)/_build/html/index.html"

check: .venv/test.stamp  ## check what changed, in about a minute; ONLY=attention for one module, chapter or explorable
	@$(BIN)/python -m tools.check $(ONLY)

# The chapters run here as on old processors, and in `downloads`, cell for cell the same, as on new.
test: book .venv/test.stamp lint check-workflows downloads  ## build the book, then check everything: code, notebooks, pages
	$(BIN)/python -m tools.browser
	ATEN_CPU_CAPABILITY=default $(BIN)/python $(validate) notebooks || { echo \
	    "Where the new output is right, store it: make notebooks ONLY=notebooks/NAME.ipynb"; exit 1; }
	$(BIN)/pytest -n 2 --dist worksteal

properties: .venv/test.stamp  ## look for a counterexample in many new cases (minutes)
	$(BIN)/pytest -n 2 --dist worksteal --hypothesis-profile exploring \
	    tests/package/test_properties.py

downloads: book .venv/colab.stamp  ## run the copies that the pages offer with what Colab has
	folder=$$(mktemp -d); trap 'rm -r "$$folder"' EXIT; \
	cp _build/html/_sources/notebooks/*.ipynb "$$folder"; cd "$$folder"; \
	ATEN_CPU_CAPABILITY=$(NEW) $(CURDIR)/.venv/colab/bin/python $(validate)

# What to check with, beside PYTHON; uv takes the newest or the lowest of everything else.
RESOLUTION ?= highest
TORCH ?=
CONSTRAINT ?=
COMBINATION = $(strip PYTHON=$(PYTHON) RESOLUTION=$(RESOLUTION) \
    $(TORCH:%=TORCH=%) $(CONSTRAINT:%=CONSTRAINT=%))
VERSIONS = .venv/versions/$(subst $() ,-,$(notdir $(COMBINATION)))

versions: .venv/bin/uv  ## check other releases: PYTHON=python3.12 TORCH=2.9.0 RESOLUTION=lowest-direct
	$< venv --quiet --clear --python $(PYTHON) $(VERSIONS)
	$< pip install --quiet --python $(VERSIONS) --resolution $(RESOLUTION) \
	    $(CONSTRAINT:%=--constraint %) --group versions --editable . $(TORCH:%=torch==%)
	$(VERSIONS)/bin/python -c "import matplotlib.font_manager"
	for capability in $(sort default $(NEW)); do \
	    ATEN_CPU_CAPABILITY=$$capability $(VERSIONS)/bin/python $(validate) notebooks; done
	$(VERSIONS)/bin/pytest -n 2 --dist worksteal -p no:cacheprovider -m "not browser" tests/package
	$(VERSIONS)/bin/python -m tools.versions "$(COMBINATION)"

notebooks: .venv/test.stamp  ## execute and store the notebooks; ONLY=notebooks/03_attention.ipynb for one
	$(BIN)/python -m tools.notebooks $(ONLY)

chapter: .venv/test.stamp  ## begin a chapter from the template: NAME=18_my_chapter
	@$(BIN)/python -m tools.chapter $(NAME)
	@$(BIN)/python -m tools.notebooks notebooks/$(NAME).ipynb

lint: .venv/test.stamp  ## check the code's style
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/oxlint --config tools/oxlint.json \
	    && $(BIN)/oxfmt --config tools/oxfmt.json --check '**/*.js' || { echo "Run make format, and correct by hand what it leaves."; exit 1; }

format: .venv/test.stamp  ## write the code in that style
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format --quiet .
	$(BIN)/oxlint --config tools/oxlint.json --fix
	$(BIN)/oxfmt --config tools/oxfmt.json '**/*.js'

check-workflows: .venv/test.stamp  ## check the files that other machines run: their form and their safety
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(BIN)/zizmor --offline --quiet .github

bench: book .venv/test.stamp  ## measure everything for the page of benchmarks; ONLY=layers prints a part
	$(BIN)/python -m tools.browser
	$(BIN)/python -m benchmarks $(ONLY)

pdf: book .venv/test.stamp  ## print the built book into one PDF
	$(BIN)/python -m tools.browser
	PYTHONPATH=book/_ext $(BIN)/python -m tools.pdf

# The branch has no history and nothing of the checkout: one commit of the pages, made beside it.
publish: export GIT_INDEX_FILE := $(CURDIR)/_build/pages.index
publish:  ## push the built pages to the branch gh-pages of origin, where Colab finds the chapters
	@test -e _build/html/index.html || { echo "Nothing is built yet: make book" >&2; exit 1; }
	@touch _build/html/.nojekyll  # without it GitHub leaves out folders that begin with _
	git --git-dir="$$(git rev-parse --absolute-git-dir)" -C _build/html --work-tree=. add --all --force .
	git push --force origin "$$(git -c user.name=make -c user.email=make@localhost commit-tree \
	    -m "The book at $$(git rev-parse --short HEAD)" "$$(git write-tree)")":refs/heads/gh-pages

wheel: .venv/bin/uv  ## build the package as others install it, into dist
	@rm -rf dist
	$< build --quiet --out-dir dist

release: wheel  ## send the package to the index; from the workflow release, which needs no password
	.venv/bin/uv publish --trusted-publishing always dist/*

screenshots: book .venv/test.stamp  ## take the pictures that README and the front page show
	$(BIN)/python -m tools.browser
	$(BIN)/python -m tools.screenshots

weights: .venv/test.stamp  ## train both models again and ship their weights: some minutes for each
	$(BIN)/python -m follow_the_tensor.dates --export src/follow_the_tensor/dates/reader.safetensors
	$(BIN)/python -m follow_the_tensor.names --export src/follow_the_tensor/names/inventor.safetensors

serve: book  ## serve the built book at http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html 8000

setup: .venv/test.stamp  ## install everything that tests and notebooks need

small-torch: .venv/bin/uv  ## on Linux, before setup: get PyTorch without CUDA
	$(BIN)/uv pip install --python $(BIN)/python --torch-backend cpu "$$(grep ^torch== requirements.txt)"

# Every package with its version and the hashes of its files, for all systems. PyTorch stays out:
# which build of it fits is for each machine to say. Any of its builds pins what it brings itself.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
    --no-annotate --no-header

lock: .venv/bin/uv  ## write the lock files anew from the requirements files
	for name in book bench; do \
	    $(LOCK) requirements/$$name.txt \
	        | sed -E '/^(torch|triton|cuda-|nvidia-)/,/[^\\]$$/d' > .venv/$$name.lock; \
	done
	mv .venv/book.lock requirements/book.lock
	mv .venv/bench.lock requirements/all.lock

clean:  ## remove what the other targets made, .venv included
	rm -rf .venv _build .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed; name yours: make book PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; \
	    echo "Python's venv module is needed; on Debian or Ubuntu install python3-venv" >&2; exit 1; }

.venv/bin/uv: | .venv/bin/python
	$(PIP) uv==0.13.9

# A stamp that is older than its files, but was made from the same words, is only renewed.
same = cat $(filter-out .venv/%,$^) | cmp -s - $@.words

.venv/book.stamp: requirements/book.lock | .venv/bin/python
	@$(same) || { set -x; $(PIP) --require-hashes --requirement requirements/book.lock; }
	@cp $< $@.words
	@touch $@

.venv/test.stamp: requirements/all.lock requirements.txt pyproject.toml .venv/book.stamp
	@$(same) || $(MAKE) --no-print-directory install
	@cat $(filter-out .venv/%,$^) > $@.words
	@touch $@

install:
	$(PIP) --require-hashes --requirement requirements/all.lock
	$(PIP) --requirement requirements.txt  # what the lock leaves out: PyTorch, if it is not there yet
	$(PIP) --no-deps --editable .
	$(BIN)/python -c "import matplotlib.font_manager"  # its first run prints a warning into a notebook
	-git config diff.notebook.textconv "python3 tools/readable.py"  # git diff shows cells, not JSON

# In Colab's own image everything but the checker is there: make downloads COLAB=image
.venv/colab.stamp: requirements/colab.txt $(if $(COLAB),,.venv/test.stamp)
	@rm -rf .venv/colab
ifeq ($(COLAB),image)
	@$(PYTHON) -m venv --system-site-packages .venv/colab
	.venv/colab/bin/python -m pip install --quiet --disable-pip-version-check nbval pytest-xdist
else
	@$(BIN)/python -m venv .venv/colab
	.venv/colab/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/colab.txt
	$(BIN)/python -m tools.lend_torch .venv/colab
endif
	@touch $@
