"""The links under each chapter's title, in a book built with a repository and in one without."""

import json
import re
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from book_pages import launch, repository
from tests.support.built_book import BOOK, PAGES, Places
from tests.support.notebook_guard import ROOT

CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]
COLAB = re.compile(r"https://colab\.research\.google\.com/github/([^/]+/[^/]+)/blob/([^/]+)/(.+)")


def tracked():
    """What git knows; all of the folder where the book came as an archive, without git."""
    known = repository.git("ls-files", "notebooks").split()
    return known or [f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")]


def links(book, page):
    return Places(book / f"{page}.html").links


@pytest.mark.parametrize("page", CHAPTERS)
def test_colab_opens_this_chapter_at_this_commit(sample, page):
    (match,) = filter(None, map(COLAB.fullmatch, links(sample, page)))
    name, commit, path = match.groups()
    assert name == "sample/their-book"
    assert commit == repository.commit()
    assert path == f"{page}.ipynb"
    assert path in tracked()


def test_without_a_repository_the_link_leads_to_the_two_steps():
    builder = SimpleNamespace(get_relative_uri=lambda page, other: f"../{other}.html")
    app = SimpleNamespace(builder=builder, env=SimpleNamespace(book_source=(None, "HEAD")))
    link = launch.colab(app, "notebooks/04_masks")
    assert link == "../book/running.html#in-colab-in-two-steps"
    assert "in-colab-in-two-steps" in Places(BOOK / "book" / "running.html").ids


@pytest.mark.parametrize("page", CHAPTERS)
def test_download_is_the_chapter(page):
    (link,) = {link for link in links(BOOK, page) if urlsplit(link).path.endswith(".ipynb")}
    offered = json.loads((BOOK / page).parent.joinpath(link).read_text(encoding="utf-8"))
    tracked = json.loads((ROOT / f"{page}.ipynb").read_text(encoding="utf-8"))
    kept = [cell for cell in tracked["cells"] if cell["id"] != "set-up"]
    assert [cell for cell in offered["cells"] if cell["id"] != "set-up"] == kept
