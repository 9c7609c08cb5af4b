"""The page of reader questions: its links, and how the search finds its entries."""

import re

import pytest

from tests.support.messages import CODE, READ, as_printed, complaint, elsewhere
from tests.support.notebook_guard import ROOT
from tests.support.questions import BLOCK, ENTRIES, sections_with_code

TRACEBACK = """Traceback (most recent call last):
  File "/home/ada/model/train.py", line 87, in forward
    return self.attention(mask.view(2, 4), target, softmax=True)
           ^^^^^^^^^^^^^^^
{}"""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_links_lead_to_sections_with_a_cell(entry):
    """Inside the page, and to the page about running the chapters, there is no cell."""
    assert entry.links
    for link in entry.links:
        file, _, place = link.partition("#")
        if file not in ("", "running.md"):
            assert place in sections_with_code(file.removeprefix("../notebooks/")), link


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_an_answer_is_short(entry):
    assert len(BLOCK.sub("", entry.body).split()) < 100


@pytest.fixture(scope="module")
def first(browser):
    """The title of the first result of a query; one page for all of them."""
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto((ROOT / "_build" / "html" / "search.html").as_uri())
    title = "query => bookSearch.search(query).found.map(({ page, title }) => [page[0], title])[0]"
    yield lambda query: straight(page.evaluate(title, query))
    context.close()


def straight(place):
    """With the quotes of the source."""
    page, title = place or (None, "")
    return page, re.sub("[‘’]", "'", title)


@pytest.mark.parametrize(("title", "code"), CODE)
def test_a_message_finds_its_entry(first, title, code):
    message = as_printed(complaint(code))
    assert first(message) == ("book/questions", title)
    assert first(TRACEBACK.format(elsewhere(message))) == ("book/questions", title)


@pytest.mark.parametrize(("title", "message", "where"), READ)
def test_a_message_from_elsewhere_finds_its_entry(first, title, message, where):
    assert first(message) == ("book/questions", title), where
    assert first(elsewhere(message)) == ("book/questions", title), where


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("my model writes the same token again and again", "The same token again and again"),
        ("loss is NaN after three steps", "The loss is NaN"),
        ("why is there NaN after softmax", "NaN after the softmax"),
        ("length penalty", "Beam search prefers short answers"),
        ("all tokens get the same position", "Every token of a sentence gets the same position"),
        ("sin and cos concatenated", "Sine and cosine one after the other instead of interleaved"),
        ("undefined symbol", "No module named 'torchtext'"),
        ("hugging face attention_mask", "A mask of Hugging Face's models"),
    ],
)  # fmt: skip
def test_a_question_in_words_finds_its_entry(first, words, title):
    assert first(words) == ("book/questions", title)
