"""Pages whose rows come from data: the page's file holds the words, and `{{ rows }}` the place."""

import json

from . import bad_input
from .explorables import load
from .repository import ROOT

RESULTS = ROOT / "benchmarks" / "results.json"
MARK = "{{ rows }}"


def setup(app):
    app.connect("source-read", fill)


def fill(app, page, source):
    """`source` is a list of one text, which Sphinx reads afterwards."""
    if page in PAGES:
        rows, files = PAGES[page]
        source[0] = source[0].replace(MARK, rows())
        for file in files:
            app.env.note_dependency(str(file))


def benchmarks():
    table = load(ROOT / "benchmarks" / "table.py")
    return table.rows(json.loads(RESULTS.read_text(encoding="utf-8")))


PAGES = {
    "book/bad-input": (bad_input.rows, bad_input.FILES),
    "book/benchmarks": (benchmarks, [RESULTS]),
}
