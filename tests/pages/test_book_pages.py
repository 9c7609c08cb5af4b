"""What makes a book of the pages: title page, descriptions, addresses, and a page for no page."""

import re
from html.parser import HTMLParser
from importlib.metadata import metadata
from xml.etree import ElementTree

import nbformat
import pytest
from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from book_pages import edition, repository
from tests.support.built_book import BOOK, PAGES, TOC
from tests.support.notebook_guard import ROOT
from tests.support.page_checks import WIDE, accessibility, icons, overflow

ADDRESS = "https://sample.github.io/their-book/"
CHAPTERS = [page for page in PAGES if page.startswith("notebooks/")]
every_page = pytest.mark.parametrize("page", PAGES)


class Head(HTMLParser):
    """What a page says about itself to machines."""

    def __init__(self, path):
        super().__init__()
        self.meta, self.canonical = {}, None
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "meta" and "content" in attributes:
            name = attributes.get("name") or attributes.get("property")
            self.meta[name] = attributes["content"]
        if tag == "link" and attributes.get("rel") == "canonical":
            self.canonical = attributes["href"]


def head(book, page):
    return Head(book / f"{page}.html")


# In a book that knows its address.


@every_page
def test_page_names_its_address(sample, page):
    found = head(sample, page)
    assert found.canonical == found.meta["og:url"] == f"{ADDRESS}{page}.html"


@every_page
def test_page_has_a_card(sample, page):
    meta = head(sample, page).meta
    card = sample / meta["og:image"].removeprefix(ADDRESS)
    assert Image.open(card).size == (1200, 630)  # what chats cut a large card to
    assert meta["og:image:alt"]
    assert meta["twitter:card"] == "summary_large_image"
    assert meta["og:type"] == ("website" if page == TOC["root"] else "article")


def test_sitemap_lists_every_page(sample):
    entries = ElementTree.parse(sample / "sitemap.xml").getroot()
    assert [entry[0].text for entry in entries] == [f"{ADDRESS}{p}.html" for p in sorted(PAGES)]
    assert f"Sitemap: {ADDRESS}sitemap.xml" in (sample / "robots.txt").read_text().splitlines()


# In every book.


def test_descriptions_are_sentences_and_differ():
    texts = {page: head(BOOK, page).meta["description"] for page in PAGES}
    assert len(set(texts.values())) == len(PAGES)
    for page, text in texts.items():
        assert re.fullmatch(r"[A-Z].{20,250}[.?]", text), f"{page}: {text}"
        assert text == head(BOOK, page).meta["og:description"]


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_is_described_by_its_question(page):
    first = nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells[0].source
    (question,) = re.findall(r"^\*\*The question\.\*\* (.+)$", first, re.MULTILINE)
    text = head(BOOK, page).meta["description"].replace("’", "'")
    assert re.sub(r"[`*]|\]\(.*?\)|\[", "", question).startswith(text)


@every_page
def test_page_has_the_title_of_its_heading(page):
    heading = re.search("<h1>(.*?)<a", (BOOK / f"{page}.html").read_text(encoding="utf-8"))[1]
    assert head(BOOK, page).meta["og:title"] == re.sub("<.*?>", "", heading)


@every_page
def test_page_ends_in_the_licence(page):
    text = (BOOK / f"{page}.html").read_text(encoding="utf-8")
    foot = re.search('<p class="licence">(.*?)</p>', text, re.DOTALL)[1]
    for part in ("The Follow the Tensor authors", "BSD 3-Clause", "CC BY 4.0", "About this book"):
        assert part in foot


def test_edition_is_version_and_date_of_the_commit(monkeypatch):
    version, *dated = edition.edition().split()
    assert f'version = "{version}"' in (ROOT / "pyproject.toml").read_text()
    date = repository.git("show", "--no-patch", "--format=%cs", "HEAD")
    assert dated == (["of", date] if date else [])
    for page in ("book/index", "book/about"):
        assert f"dition {version}" in (BOOK / f"{page}.html").read_text(encoding="utf-8")
    monkeypatch.setattr(edition, "git", lambda *arguments: "")  # an archive has no history
    assert edition.edition() == version


CARRIED = {
    "Sphinx": ("Sphinx", "BSD"),
    "pydata-sphinx-theme": ("PyData Sphinx Theme", "BSD 3-Clause"),
    "sphinx-book-theme": ("Sphinx Book Theme", "BSD"),
    "myst-nb": ("MyST-NB", "BSD 3-Clause"),
    "sphinx-copybutton": ("sphinx-copybutton", "MIT"),
    "accessible-pygments": ("accessible-pygments", "BSD 3-Clause"),
    "sphinx-mathjax-offline": ("MathJax", "Apache 2.0"),
}


@pytest.mark.parametrize("package", CARRIED)
def test_licences_of_others_are_those_of_their_packages(package):
    name, licence = CARRIED[package]
    about = (ROOT / "book" / "about.md").read_text(encoding="utf-8")
    (row,) = (line for line in about.splitlines() if f"[{name}]" in line)
    assert licence in row
    own = metadata(package)
    fields = [own.get("License-Expression"), own.get("License"), *own.get_all("Classifier", [])]
    stated = " ".join(filter(None, fields)).replace("-", " ").replace("License ", "")
    assert licence.replace("-", " ") in stated


# A small book of one page, with an address and without.


@pytest.fixture
def small_book(tmp_path, monkeypatch):
    def small_book(address):
        monkeypatch.setattr(repository, "book_address", lambda: address)
        (tmp_path / "book").mkdir()
        (tmp_path / "book" / "index.rst").write_text("Title\n=====\n\nOne & one. Two.\n")
        templates = ROOT / "book" / "_ext" / "book_pages" / "templates"
        settings = {
            "extensions": [
                f"book_pages.{part}" for part in ("address", "sharing", "not_found", "finishing")
            ],
            "root_doc": "book/index",
            "html_title": "Small book",
            "html_theme": "basic",
            "html_show_sphinx": False,  # has a link to its makers
            "templates_path": [str(templates)],
        }
        out = tmp_path / "out"
        with docutils_namespace():  # a second book in one process would warn
            app = Sphinx(tmp_path, None, out, out / "trees", "html", settings, warningiserror=True)
            app.build()
        return out

    return small_book


def absolute(out):
    pages = "".join(path.read_text(encoding="utf-8") for path in out.rglob("*.html"))
    return re.findall(r'"(https?://[^"]*)"', pages)


def test_without_an_address_nothing_is_absolute(small_book):
    out = small_book(None)
    assert not absolute(out)
    assert not list(out.glob("sitemap.xml")) + list(out.glob("robots.txt"))
    meta = head(out, "book/index").meta
    assert meta["description"] == "One & one. Two."
    assert meta["twitter:card"] == "summary"
    assert not {"og:url", "og:image"} & meta.keys()
    assert head(out, "book/index").canonical is None


def test_with_an_address_the_page_for_no_page_links_from_anywhere(small_book):
    out = small_book("https://books.example.org/")
    text = (out / "404.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src|action|content_root)="([^"]*)"', text)
    inside = [link for link in links if not link.startswith("#")]
    assert "https://books.example.org/book/index.html" in inside
    assert "https://books.example.org/" in inside  # where Sphinx's scripts look for files
    assert all(link.startswith("https://books.example.org/") for link in inside)
    assert head(out, "404").canonical is None


# The page for no page, as the host shows it: at any depth.


@pytest.fixture
def hosted(sample, browser):
    """Open an address of the sample book; a page that it lacks is answered with 404.html."""
    contexts = []

    def answer(route):
        path = sample / route.request.url.removeprefix(ADDRESS).partition("?")[0].partition("#")[0]
        found = path.is_file()
        route.fulfill(status=200 if found else 404, path=path if found else sample / "404.html")

    def hosted(url, theme="light"):
        context = browser.new_context(color_scheme=theme, viewport=WIDE)
        contexts.append(context)
        context.route(f"{ADDRESS}**", answer)
        page = context.new_page()
        page.missing, page.asked = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("response", lambda r: page.missing.append(r.url) if r.status == 404 else None)
        page.goto(url)
        return page

    yield hosted
    for context in contexts:
        context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("depth", ["lost.html", "a/b/c/lost"])
def test_a_missing_page_helps(hosted, depth, theme):
    page = hosted(ADDRESS + depth, theme)
    assert page.missing == [ADDRESS + depth]  # styles and scripts are there
    assert all(url.startswith((ADDRESS, "data:")) for url in page.asked)
    visit = type("Visit", (), {"page": page})
    found = [text for check in (icons, overflow, accessibility) for text in check(visit, BOOK)]
    assert not found, "\n".join(found)
    page.locator("article").get_by_role("searchbox").fill("softmax")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    assert page.url == f"{ADDRESS}search.html?q=softmax"


# Next and previous, and the search, on a phone.


def neighbour(page, side):
    """The page that the link "left-prev" or "right-next" at the foot of `page` leads to."""
    text = (BOOK / f"{page}.html").read_text(encoding="utf-8")
    (link,) = re.findall(rf'class="{side}"\s+href="([^"]+)\.html"', text)
    return (BOOK / page).parent.joinpath(link).resolve().relative_to(BOOK).as_posix()


def test_next_and_previous_follow_the_contents():
    assert [neighbour(page, "right-next") for page in PAGES[:-1]] == PAGES[1:]
    assert [neighbour(page, "left-prev") for page in PAGES[1:]] == PAGES[:-1]


@pytest.fixture
def phone(browser):
    context = browser.new_context(offline=True, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto((BOOK / "notebooks" / "04_masks.html").as_uri())
    yield page
    context.close()


def test_a_phone_leads_on(phone):
    for side, page in (("left-prev", "03_attention"), ("right-next", "05_heads_and_memory")):
        link = phone.locator(f".{side}")
        link.scroll_into_view_if_needed()
        box = link.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
        link.click()
        phone.wait_for_url(f"**/{page}.html")
        phone.go_back()


def test_a_phone_searches(phone):
    phone.locator(".bd-header-article .search-button").click()
    field = phone.locator("dialog").get_by_role("searchbox")
    field.fill("softmax")
    field.press("Enter")
    phone.wait_for_selector("#search-results li a")
