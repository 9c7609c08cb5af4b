"""The built book in a real browser, over file:// and with the network off."""

from html.parser import HTMLParser

import pytest
import yaml

from tests.support.notebook_guard import ROOT
from tests.support.page_checks import CHECKS, WIDE, complaints
from tools.browser import Visit

BOOK = ROOT / "_build" / "html"
TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
PAGES = [TOC["root"], *(page["file"] for part in TOC["parts"] for page in part["chapters"])]
SENTENCES = {
    "book/index": "The Transformer, read from its source",
    "book/notation": "A mask says which query may attend to which key",
    "notebooks/04_masks": "The rule: True may attend",
    "notebooks/10_eight_faults": "Fault 7: minus a billion in float16",
}


@pytest.fixture
def open_page(browser):
    """Open a page in one theme; the browser cannot reach any network."""
    contexts = []

    def open_page(path, theme="light"):
        context = browser.new_context(offline=True, color_scheme=theme, viewport=WIDE)
        contexts.append(context)
        return Visit(context, path)

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", [*PAGES, "genindex", "search"])
def test_page(open_page, page, theme):
    visit = open_page(BOOK / f"{page}.html", theme)
    assert visit.page.evaluate("document.documentElement.dataset.theme") == theme
    found = complaints(visit, BOOK)
    assert not found, "\n".join(found)


def test_the_book_has_the_pages_of_its_contents():
    built = {path.relative_to(BOOK).with_suffix("").as_posix() for path in BOOK.rglob("*.html")}
    assert built == {*PAGES, "404", "genindex", "index", "search"}, "run make book"


@pytest.mark.parametrize("page", [page for page in SENTENCES if page in PAGES])
def test_page_says(page):
    sentence = SENTENCES[page]
    assert sentence in (BOOK / f"{page}.html").read_text(encoding="utf-8")


def test_search_works_without_a_server(open_page):
    visit = open_page(BOOK / "search.html")
    visit.page.goto((BOOK / "search.html").as_uri() + "?q=softmax")
    visit.page.wait_for_selector("#search-results li a")
    assert not visit.errors


# Links, read from the files.


class Places(HTMLParser):
    """The links of a page, and the places that a link may lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids.add(attributes.get("id"))
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])


def broken_links(book):
    """Links between pages, and to the places inside them, that lead nowhere."""
    pages = {path.resolve(): Places(path) for path in book.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if ":" in target:  # https:, mailto:
                continue
            file = (path.parent / target).resolve() if target else path
            known = not anchor or file not in pages or anchor in pages[file].ids
            if not file.exists() or not known:
                broken.append(f"{path.relative_to(book.resolve())}: {link}")
    return broken


def test_links_and_anchors_resolve():
    assert not broken_links(BOOK)


# The checks themselves: each sees what it is there for, and nothing else.

CLEAN = """<!doctype html><html lang="en"><head><title>Page</title></head>
<body><main><article><h1>Page</h1>{}</article></main></body></html>"""
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
BROKEN = {
    "network": "<script src='https://example.org/x.js'></script>",
    "missing_files": "<script src='missing.js'></script>",
    "script_errors": "<script>throw new Error('no')</script>",
    "maths": "<span class='math'>\\(x\\)</span>",
    "images": f"<img src='{PIXEL}' alt=' '>",
    "icons": "<i class='fa-solid fa-moon'></i>",
    "weight": "<script src='heavy.js'></script>",
    "accessibility": "<button></button>",
    "overflow": "<div style='width: 800px'>wide</div>",
}


@pytest.fixture
def write_page(tmp_path):
    def write_page(content):
        (tmp_path / "heavy.js").write_text(" " * 2_000_000)
        (tmp_path / "page.html").write_text(CLEAN.format(content))
        return tmp_path / "page.html"

    return write_page


def test_checks_pass_a_clean_page(open_page, write_page):
    path = write_page(f"<p>Text <a href='page.html'>x</a></p><img src='{PIXEL}' alt='A dot'>")
    assert complaints(open_page(path), path.parent) == []
    assert broken_links(path.parent) == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_check_sees(open_page, write_page, check):
    path = write_page(BROKEN[check.__name__])
    assert check(open_page(path), path.parent)


def test_pale_words_in_code_are_seen(open_page, write_page):
    words = "<span class='k'>def</span> <span class='c' style='color: #aaa'># pale</span>"
    path = write_page(f"<div><div><pre>{words * 3}</pre></div></div>")
    assert len(CHECKS[-1](open_page(path), path.parent)) == 1


@pytest.mark.parametrize("link", ["missing.html", "#nowhere", "page.html#nowhere"])
def test_links_check_sees(write_page, link):
    path = write_page(f"<a href='{link}'>x</a>")
    assert broken_links(path.parent) == [f"page.html: {link}"]
