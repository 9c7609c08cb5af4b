"""Each message that book/questions quotes is what really comes, letter by letter, today."""

import re

import pytest

from tests.support.messages import CODE, READ, TABLE, complaint
from tests.support.questions import ENTRIES


def plain(text):
    """Without line ends, colours, and the C++ namespace, which depends on the release."""
    return re.sub(r"\b(c10|at)::|\x1b\[\d+m", "", " ".join(text.split()))


def quotes(message, said):
    """A quote may stop before the end, and may name a base class of the error."""
    kind, text = message.split(": ", maxsplit=1)
    kinds = {base.__name__ for base in type(said).__mro__}
    return kind in kinds and plain(str(said)).startswith(plain(text))


def is_known(title, message):
    row = TABLE.get(title, {})
    return any(plain(said).startswith(plain(message)) for said, _ in row.get("read", ())) or any(
        quotes(message, complaint(code)) for code in row.get("code", ())
    )


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.messages], ids=lambda e: e.title)
def test_a_quoted_message_is_what_comes(entry):
    strange = [message for message in entry.messages if not is_known(entry.title, message)]
    assert strange == [], (
        "quote what comes, or add code that says it to tests/support/messages.toml"
    )


def test_the_table_is_for_entries_of_the_page():
    titles = {entry.title for entry in ENTRIES}
    assert set(TABLE) <= titles, f"{set(TABLE) - titles}: correct them in messages.toml"
    assert all(where for _, _, where in READ)


@pytest.mark.parametrize(("title", "code"), CODE)
def test_the_code_of_the_table_complains(title, code):
    said = complaint(code)
    assert said, title
    assert not isinstance(said, NameError | SyntaxError), f"{title}: {said!r}"
