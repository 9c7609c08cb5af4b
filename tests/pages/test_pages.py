"""The built book in a real browser, over file:// and with the network off."""

import pytest

from tests.support.book import BOOK, PAGES, broken_links
from tests.support.page_checks import (
    CHECKS,
    WIDE,
    accessibility,
    complaints,
    what_to_do,
)
from tools.browser import Visit


@pytest.fixture
def open_page(browser):
    """Open a page; the browser cannot reach any network."""
    contexts = []

    def open_page(path):
        contexts.append(browser.new_context(offline=True, color_scheme="light", viewport=WIDE))
        return Visit(contexts[-1], path)

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("page", [*PAGES, "genindex", "search"])
def test_page(open_page, page):
    visit = open_page(BOOK / f"{page}.html")
    found = complaints(visit, BOOK)
    assert not found, "\n".join(found)


def test_the_book_has_the_pages_of_its_contents():
    built = {path.relative_to(BOOK).with_suffix("").as_posix() for path in BOOK.rglob("*.html")}
    wanted = {*PAGES, "404", "genindex", "index", "search"}
    assert sorted(built ^ wanted) == [], "in one of book and _toc.yml only: run make book"


def test_links_and_anchors_resolve():
    broken = broken_links(BOOK)
    assert not broken, "correct these links:\n" + "\n".join(broken)


# The checks themselves: each sees what it is there for, and nothing else.

CLEAN = """<!doctype html><html lang="en"><head><title>Page</title></head>
<body><main><article><h1>Page</h1>{}</article></main></body></html>"""
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="
IN_THE_DARK = "@media (prefers-color-scheme: dark) { p { color: #333; background: #000 } }"
BROKEN = {
    "network": "<script src='https://example.org/x.js'></script>",
    "missing_files": "<script src='missing.js'></script>",
    "script_errors": "<script>throw new Error('no')</script>",
    "maths": "<span class='math'>\\(x\\)</span>",
    "images": f"<img src='{PIXEL}' alt=' '>",
    "icons": "<i class='fa-solid fa-moon'></i>",
    "weight": "<script src='heavy.js'></script>",
    "overflow": "<div style='width: 800px'>wide</div>",
    "accessibility": "<button></button>",
    "dark": f"<style>{IN_THE_DARK}</style><p>dark on dark</p>",
    "sideways": f"<details><pre style='overflow: auto'>{'x' * 300}</pre></details>",
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
    visit = open_page(path)
    assert complaints(visit, path.parent) == []
    assert broken_links(path.parent) == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_check_sees(open_page, write_page, check):
    path = write_page(BROKEN[check.__name__])
    visit = open_page(path)
    before = CHECKS[: CHECKS.index(check)][-1:]  # `dark` builds on the one before
    assert not [text for other in before for text in other(visit, path.parent)]
    assert check(visit, path.parent)
    assert what_to_do(check)


def test_pale_words_in_code_are_seen(open_page, write_page):
    words = "<span class='k'>def</span> <span class='c' style='color: #aaa'># pale</span>"
    path = write_page(f"<div><div><pre>{words * 3}</pre></div></div>")
    assert len(accessibility(open_page(path), path.parent)) == 1


@pytest.mark.parametrize("link", ["missing.html", "#nowhere", "page.html#nowhere"])
def test_links_check_sees(write_page, link):
    path = write_page(f"<a href='{link}'>x</a>")
    assert broken_links(path.parent) == [f"page.html: {link}"]
