"""Every row of the table of bad input, and its page.

A refusal is tested in the table alone, and not in the module's own tests too.
"""

import re

import pytest

from book_pages import bad_input
from book_pages.bad_input import read_table
from tools.bad_input import agrees, outcome, prepare, public_calls

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
    assert not wrong, "Mend the code, or the row in tests/package/bad_input:\n" + "\n".join(wrong)


def test_the_calls_of_the_table_exist():
    gone = {call["name"] for call in CALLS} - set(public_calls())
    assert not gone, f"Rename or remove in tests/package/bad_input: {sorted(gone)}"


def test_our_errors_name_the_argument_and_what_was_expected():
    raised = [row[2] for row in ROWS if re.match(r"(Type|Value)Error: ", row[2])]
    damaged = [text for text in raised if "is damaged or is no" in text]  # a file as a whole
    nameless = [text for text in raised if not re.match(r"\w+: [\w\[\]']+: expected ", text)]
    assert nameless == damaged, "Say name, expected and given in the message, and in its row."


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
