"""The built book: its settings, its pages in reading order, its address, and each page's HTML."""

import re
from functools import cache

import yaml
from bs4 import BeautifulSoup

from book_pages import repository
from tests.support.notebook_guard import ROOT

BOOK = ROOT / "_build" / "html"
CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]
ADDRESS = repository.book_address()  # None where the book knows no host
# The page for teachers names the policy that a host may send.
PUBLISHING = (ROOT / "book" / "publishing.md").read_text(encoding="utf-8")
POLICY = re.search(r"^Content-Security-Policy: (.*)$", PUBLISHING, re.MULTILINE)[1]


@cache
def html(page):
    return BeautifulSoup((BOOK / f"{page}.html").read_text(encoding="utf-8"), "html.parser")


def broken_links(book):
    """Links between pages, and to the places inside them, that lead nowhere."""
    pages = {path.resolve(): _links_and_ids(path) for path in book.rglob("*.html")}
    broken = []
    for path, (links, _) in pages.items():
        for link in links:
            target, _, anchor = link.partition("#")
            if ":" in target:  # https:, mailto:
                continue
            file = (path.parent / target).resolve() if target else path
            known = not anchor or file not in pages or anchor in pages[file][1]
            if not file.exists() or not known:
                broken.append(f"{path.relative_to(book.resolve())}: {link}")
    return broken


def _links_and_ids(path):
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    return (
        [link["href"] for link in page.select("a[href]")],
        {element["id"] for element in page.select("[id]")},
    )
