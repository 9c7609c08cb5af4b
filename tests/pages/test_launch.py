"""The links under each chapter's title, and the copy of the chapter that they lead to."""

import json
import re

import pytest

from book_pages import repository
from tests.support.book import ADDRESS, BOOK, CHAPTERS, CONFIG, html
from tests.support.notebook_guard import ROOT

COLAB = "https://colab.research.google.com/github"
LINK = re.compile(r"\[([^][]*|(?:[^][]*\[[^][]*\])+[^][]*)\]\(([^)\s]+)\)")
every_chapter = pytest.mark.parametrize("page", CHAPTERS)


def read(path):
    """The cells of a notebook by their names, in order."""
    return {cell.pop("id"): cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


def offered(page):
    return read(BOOK / "_sources" / f"{page}.ipynb")


def text(cell):
    return "".join(cell["source"])


@every_chapter
def test_both_links_lead_to_the_complete_copy(page):
    colab, download = (link["href"] for link in html(page).select(".launch a"))
    copy = f"_sources/{page}.ipynb"
    assert (BOOK / page).parent.joinpath(download).resolve() == BOOK / copy
    if name := repository.repository():
        assert colab == f"{COLAB}/{name}/blob/{repository.PAGES_BRANCH}/{copy}"
    else:  # nothing is published, so the link leads to the two steps by hand
        assert colab == "../book/running.html#in-colab-in-two-steps"
        assert html("book/running").find(id="in-colab-in-two-steps")


@every_chapter
def test_the_copy_is_the_chapter_with_the_package_and_a_credit(page):
    copy, tracked = offered(page), read(ROOT / f"{page}.ipynb")
    assert list(copy) == [*tracked, "credit"]
    for name in tracked.keys() - {"set-up"}:
        ours, theirs = text(tracked[name]), text(copy[name])
        if tracked[name]["cell_type"] == "markdown":  # the links may lead elsewhere
            ours, theirs = LINK.sub(r"\1", ours), LINK.sub(r"\1", theirs)
        assert theirs == ours
        assert copy[name] | {"source": []} == tracked[name] | {"source": []}


@every_chapter
def test_the_copy_names_author_licence_and_source(page):
    credit = text(offered(page)["credit"])
    for part in (CONFIG["title"], CONFIG["author"], "CC BY 4.0", "BSD 3-Clause", ADDRESS or ""):
        assert part in credit
    assert html(page).select_one(".licence").text.count("Adapted from") == credit.count("Adapted")


@every_chapter
def test_where_the_book_has_an_address_links_in_the_copy_lead_there(page):
    cells = [cell for cell in offered(page).values() if cell["cell_type"] == "markdown"]
    targets = [target for cell in cells for _, target in LINK.findall(text(cell))]
    inside = [target for target in targets if not re.match(r"#|\w+:", target)]
    assert not (ADDRESS and inside)
    for target in targets:
        if ADDRESS and target.startswith(ADDRESS + "notebooks/"):
            path, _, anchor = target.removeprefix(ADDRESS).partition("#")
            assert not anchor or html(path.removesuffix(".html")).find(id=anchor), target
