"""The page of reader questions: its cases, its links, and how the search finds them."""

import ast
import re

import pytest

from tests.support.notebook_guard import ROOT
from tests.support.question_tests import CASES
from tests.support.questions import BLOCK, ENTRIES, sections_with_code, slug

BOOK = ROOT / "_build" / "html"
TRACEBACK = """Traceback (most recent call last):
  File "train.py", line 87, in forward
    return self.fc(x)
RuntimeError: mat1 and mat2 shapes cannot be multiplied (3200x512 and 256x1024)"""


def names_of_tests(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {f"{path.stem}::{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_entry_is_held_by_tests_that_exist():
    exist = set().union(*(names_of_tests(path) for path in (ROOT / "tests").rglob("test_*.py")))
    assert [entry.title for entry in ENTRIES] == list(CASES)
    for title, held_by in CASES.items():
        tests = {name for name in held_by if "::" in name}
        assert tests, title
        assert tests <= exist, f"{title}: {tests - exist}"


def test_every_case_of_the_list_has_an_entry():
    numbers = {name for held_by in CASES.values() for name in held_by if "::" not in name}
    assert numbers == {f"Q{n:02}" for n in range(1, 31)}


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


# The search of the built book. A reader's message has numbers that no page has.

FOREIGN = re.compile(r"\b\d+\b|\b\d+(?=x\d)|(?<=\dx)\d+\b")
SAID = [(entry.title, entry.messages[0]) for entry in ENTRIES if entry.messages]
OTHER_WORDINGS = [message for entry in ENTRIES for message in entry.messages[1:]]


def elsewhere(message):
    """The same message from another program: every size is another one."""
    return FOREIGN.sub(lambda size: str(int(size[0]) + 5003), message)


@pytest.fixture(scope="module")
def open_search(browser):
    """Open the search page of the book, offline."""

    def open_search():
        page = browser.new_context(offline=True).new_page()
        page.goto((BOOK / "search.html").as_uri())
        page.wait_for_function("Search.hasIndex()")
        return page

    return open_search


@pytest.fixture(scope="module")
def search(open_search):
    return open_search()


RESULTS = """async query => {
    if (query) {
        document.getElementById("search-results").replaceChildren();
        Search.performSearch(query);
    }
    while (!Search.status.innerText) await new Promise(wait => setTimeout(wait, 5));
    return [...document.querySelectorAll("#search-results a")].map(link => link.textContent);
}"""


def results(page, query=None):
    """What the page shows for `query`, or has been asked already; with straight quotes."""
    return [re.sub("[‘’]", "'", text) for text in page.evaluate(RESULTS, query)]


@pytest.mark.parametrize(("title", "message"), SAID, ids=[title for title, _ in SAID])
def test_a_pasted_message_finds_its_entry(search, title, message):
    assert results(search, elsewhere(message))[0] == f"Questions > {title}"


@pytest.mark.parametrize("message", OTHER_WORDINGS)
def test_another_wording_finds_the_page(search, message):
    assert results(search, elsewhere(message))[0] == "Questions"


def test_a_pasted_traceback_leads_to_its_entry(open_search):
    page, field = open_search(), ".bd-main input[name=q]"
    page.fill(field, TRACEBACK)
    with page.expect_navigation():
        page.press(field, "Enter")
    title = "mat1 and mat2 shapes cannot be multiplied"
    assert results(page)[0] == f"Questions > {title}"
    page.click("#search-results a")
    assert page.url.endswith(f"/book/questions.html#{slug(title)}")


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("my model writes the same token again and again", "The same token again and again"),
        ("loss is NaN after three steps", "The loss is NaN"),
        ("why is there NaN after softmax", "NaN after the softmax"),
    ],
)
def test_a_question_in_words_finds_its_entry(search, words, title):
    assert results(search, words)[0] == f"Questions > {title}"


def test_words_that_all_stand_on_a_page_find_it_as_before(search):
    assert "4 · Masks" in results(search, "masked_fill keepdim")


def test_words_that_stand_nowhere_find_nothing(search):
    assert results(search, "qqqq zzzz") == []
