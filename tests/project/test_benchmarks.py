"""The table of make bench: what is in it, and how it is shown. Nothing here is timed."""

import datetime
import json
import re
import socket

import pytest

from benchmarks.table import Row, rows, shown
from tests.support.notebook_guard import MACHINE_PATH, ROOT

RESULTS = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))
PARTS = {path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py")} - {"table"}
ROWS = [Row(**row) for part in RESULTS["parts"] for row in part["rows"]]


def test_every_benchmark_gives_rows():
    assert {part["module"] for part in RESULTS["parts"] if part["rows"]} == PARTS


def test_the_run_has_its_date_and_its_machine():
    assert datetime.date.fromisoformat(RESULTS["date"])
    assert list(RESULTS["machine"]) == ["Processor", "System", "Software"]
    assert all(RESULTS["machine"].values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what)
def test_a_row_is_complete(row):
    assert all([row.what, row.unit, row.how])
    assert row.value > 0
    assert bool(row.other) == (row.other_value is not None)
    assert row.other_value is None or row.other_value > 0


def test_nothing_names_this_machine():
    text = json.dumps(RESULTS, ensure_ascii=False)
    assert not MACHINE_PATH.search(text)
    assert str(ROOT) not in text
    words = re.findall(r"[\w.-]+", " ".join(RESULTS["machine"].values()))
    assert socket.gethostname() not in words  # whole words: a short name is part of many


def test_a_row_shows_its_ratio():
    row = {"what": "a", "unit": "ms", "how": "b", "value": 1.5, "other": "c", "other_value": 3.0}
    results = {"date": "", "machine": {}, "parts": [{"title": "t", "rows": [row]}]}
    lines = rows(results).replace("\N{NO-BREAK SPACE}", " ").splitlines()
    assert lines[-2:] == ["| **t** | | | | |", "| a | 1.50 ms | c: 3.00 ms | 0.500 | b |"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (7, "7"),
        (2160, "2160"),
        (1234.5, "1234"),
        (123.4, "123"),
        (12.34, "12.3"),
        (0.0123, "0.0123"),
    ],
)
def test_numbers_are_shown_with_three_digits_that_count(number, text):
    assert shown(number) == text
