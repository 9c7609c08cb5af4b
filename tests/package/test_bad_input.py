"""Every row of the table of bad input, whether the table is complete, and its page."""

import re
import tomllib

import pytest

from book_pages import bad_input
from book_pages.bad_input import KINDS, read_table
from tests.support.notebook_guard import ROOT
from tools.bad_input import FILE, agrees, outcome, prepare, public_calls

FOLDER = ROOT / "tests" / "package" / "bad_input"
TABLE = read_table()
CALLS = [call for file in TABLE for call in file["call"]]
ROWS = [row for call in CALLS for row in call["rows"]]


@pytest.mark.parametrize("file", TABLE, ids=lambda file: file["title"])
def test_each_row_gives_what_the_table_says(file):
    names = prepare(file["setup"])
    wrong = []
    for call in file["call"]:
        for _, code, expected, *_ in call["rows"]:
            came = outcome(code, names)
            if not agrees(expected, came):
                wrong.append(f"{code}\n  expected {expected}\n  came     {came}")
    assert not wrong, "\n".join(wrong)


def test_every_public_call_is_in_the_table():
    with_rows = {call["name"] for call in CALLS}
    assert len(with_rows) == len(CALLS)
    not_called = tomllib.loads((FOLDER / "not_called.toml").read_text(encoding="utf-8"))
    excused = [name for names in not_called.values() for name in names]
    without_rows = set(public_calls()) - with_rows
    unexplained = {call for call in without_rows if not call.startswith(tuple(excused))}
    unused = {name for name in excused if not any(call.startswith(name) for call in without_rows)}
    assert (unexplained, unused, with_rows - set(public_calls())) == (set(), set(), set())


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call["name"])
def test_every_kind_has_a_row_or_a_reason(call):
    rows = {row[0] for row in call["rows"]} - {FILE}
    reasons = [kind for kinds in call.get("without", {}) for kind in kinds.split(", ")]
    assert sorted([*rows, *reasons]) == sorted(KINDS)


def test_our_errors_name_the_argument_and_what_was_expected():
    raised = [row[2] for row in ROWS if re.match(r"(Type|Value)Error: ", row[2])]
    damaged = [text for text in raised if "is damaged or is no" in text]  # a file as a whole
    nameless = [text for text in raised if not re.match(r"\w+: [\w\[\]]+: expected ", text)]
    assert raised
    assert nameless == damaged


def test_a_message_that_is_not_ours_is_agreed_on_by_its_type():
    assert agrees("TypeError, Python's own message", "TypeError: any words")
    assert not agrees("TypeError, Python's own message", "ValueError: any words")
    assert not agrees("TypeError: a: b", "TypeError: a: c")


def test_the_page_has_every_row_and_names_calls_without_their_modules():
    page = bad_input.rows()
    for name, shown in public_calls().items():
        assert bad_input.without_module(name) == shown
    assert page.count("\n: **") == len(ROWS)
    assert [line.strip("# `") for line in page.splitlines() if line.startswith("### ")] == [
        public_calls()[call["name"]] for call in CALLS
    ]
