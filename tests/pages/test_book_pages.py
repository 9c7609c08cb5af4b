"""What makes a book of the pages: title page, descriptions, addresses, and a page for no page."""

import re
from importlib.metadata import metadata
from xml.etree import ElementTree

import nbformat
import pytest
from PIL import Image

from book_pages import edition, repository
from tests.support.book import ADDRESS, BOOK, CHAPTERS, CONFIG, PAGES, POLICY, TOC, html
from tests.support.notebook_guard import ROOT
from tests.support.page_checks import WIDE, accessibility, icons, overflow
from tools import names

every_page = pytest.mark.parametrize("page", PAGES)


def meta(page):
    """What a page says about itself to machines."""
    tags = html(page).select("meta[content]")
    return {tag.get("name") or tag.get("property"): tag["content"] for tag in tags}


# A book that knows its address says it; another says none.


@every_page
def test_page_names_its_address(page):
    link = html(page).find("link", rel="canonical")
    address = f"{ADDRESS}{page}.html" if ADDRESS else None
    assert (link and link["href"]) == meta(page).get("og:url") == address


@every_page
def test_page_has_a_card(page):
    found = meta(page)
    assert found["og:type"] == ("website" if page == TOC["root"] else "article")
    assert found["og:site_name"] == CONFIG["title"]
    assert ("og:image" in found) == bool(ADDRESS)
    assert found["twitter:card"] == ("summary_large_image" if ADDRESS else "summary")
    if ADDRESS:
        card = BOOK / found["og:image"].removeprefix(ADDRESS)
        assert Image.open(card).size == (1200, 630)  # what chats cut a large card to
        assert found["og:image:alt"]


def test_sitemap_lists_every_page():
    files = {name: BOOK / name for name in ("sitemap.xml", "robots.txt")}
    assert [path.exists() for path in files.values()] == [bool(ADDRESS)] * 2
    if ADDRESS:
        entries = ElementTree.parse(files["sitemap.xml"]).getroot()
        assert [entry[0].text for entry in entries] == [f"{ADDRESS}{p}.html" for p in sorted(PAGES)]
        assert f"Sitemap: {ADDRESS}sitemap.xml" in files["robots.txt"].read_text().splitlines()


# In every book.


def test_descriptions_are_sentences_and_differ():
    pages = {}
    for page in PAGES:
        text = meta(page)["description"]
        assert re.fullmatch(r"“?[A-Z].{20,250}[.?]", text), (
            f"{page} is described as {text!r}: begin its first paragraph with a whole sentence"
        )
        assert text == meta(page)["og:description"]
        other = pages.setdefault(text, page)
        assert other == page, f"{page} and {other} begin with the same sentence: change one of them"


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_chapter_is_described_by_its_first_sentences(page):
    first = nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells[0].source
    paragraph = first.split("\n\n")[1].removeprefix("**The question.** ")
    text = meta(page)["description"].translate(str.maketrans("’“”", '\'""'))
    assert re.sub(r"[`*]|\[(?=[^\]]*\]\()|\]\(.*?\)", "", paragraph).startswith(text)


@every_page
def test_page_has_the_title_of_its_heading(page):
    heading = html(page).select_one("article h1")
    assert meta(page)["og:title"] + "#" == heading.text


@every_page
def test_page_ends_in_names_and_licence(page):
    foot = html(page).select_one(".licence").text
    parts = [CONFIG["author"], CONFIG["copyright"], "BSD 3-Clause", "CC BY 4.0", "About this book"]
    for part in [*parts, edition.credit(CONFIG["author"])]:
        assert part in foot


def test_the_first_page_and_the_about_page_bear_the_names():
    front, about = (html(page).select_one("article").text for page in ("book/index", "book/about"))
    title = f"{CONFIG['title']}: {CONFIG['sphinx']['config']['myst_substitutions']['subtitle']}"
    assert html("book/index").select_one("article h1").text == f"{CONFIG['title']}#"
    assert f"{CONFIG['author']} ({CONFIG['copyright']}). {title}." in about
    assert edition.credit(CONFIG["author"]) in about
    assert edition.ORIGINAL in about  # whatever the title: where the book comes from
    assert f"Edition {edition.edition()}" in front


def test_credit_is_given_by_others_only():
    holder = re.search(r"^Copyright \(c\) \d+, (.*)$", (ROOT / "LICENSE").read_text(), re.M)[1]
    assert edition.credit(holder) == edition.credit(f"A. Teacher, after {holder}") == ""
    assert edition.credit("A. Teacher") == f"Adapted from {edition.ORIGINAL} by {holder}."


def test_files_that_repeat_the_names_have_those_of_today():
    for file, text in names.named().items():
        assert text == (ROOT / file).read_text(encoding="utf-8"), f"{file}: run make book"


def test_edition_is_version_and_date_of_the_commit(monkeypatch):
    version, *dated = edition.edition().split()
    assert f'version = "{version}"' in (ROOT / "pyproject.toml").read_text()
    date = repository.git("show", "--no-patch", "--format=%cs", "HEAD")
    assert dated == (["of", date] if date else [])
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


# The page for no page, as the host shows it: at any depth.


HOST = ADDRESS or "https://book.example.org/"
# Links can be counted from any depth only where the book knows its address.
LOST = ["lost.html", *["a/b/c/lost"] * bool(ADDRESS)]


@pytest.fixture
def hosted(browser):
    """Open an address of the book; a page that it lacks is answered with 404.html."""
    contexts = []

    def answer(route):
        path = BOOK / route.request.url.removeprefix(HOST).partition("?")[0].partition("#")[0]
        status, path = (200, path) if path.is_file() else (404, BOOK / "404.html")
        route.fulfill(status=status, path=path, headers={"Content-Security-Policy": POLICY})

    def hosted(url, theme="light"):
        context = browser.new_context(color_scheme=theme, viewport=WIDE)
        contexts.append(context)
        context.route(f"{HOST}**", answer)
        page = context.new_page()
        page.missing, page.asked, page.refused = [], [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("response", lambda r: page.missing.append(r.url) if r.status == 404 else None)
        page.on("console", lambda m: page.refused.append(m.text) if "Policy" in m.text else None)
        page.goto(url)
        return page

    yield hosted
    for context in contexts:
        context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("place", LOST)
def test_a_missing_page_helps(hosted, place, theme):
    page = hosted(HOST + place, theme)
    assert page.missing == [HOST + place]  # styles and scripts are there
    assert all(url.startswith((HOST, "data:")) for url in page.asked)
    assert not page.refused
    visit = type("Visit", (), {"page": page})
    found = [text for check in (icons, overflow, accessibility) for text in check(visit, BOOK)]
    assert not found, "\n".join(found)
    page.locator("article").get_by_role("searchbox").fill("softmax")
    page.keyboard.press("Enter")
    page.wait_for_selector("#search-results li a")
    assert page.url == f"{HOST}search.html?q=softmax"


# Next and previous, and the search, on a phone.


def neighbour(page, side):
    """The page that the link "left-prev" or "right-next" at the foot of `page` leads to."""
    link = html(page).select_one(f"a.{side}")["href"].removesuffix(".html")
    return (BOOK / page).parent.joinpath(link).resolve().relative_to(BOOK).as_posix()


def test_next_and_previous_follow_the_contents():
    assert [neighbour(page, "right-next") for page in PAGES[:-1]] == PAGES[1:]
    assert [neighbour(page, "left-prev") for page in PAGES[1:]] == PAGES[:-1]


@pytest.fixture
def phone(browser):
    context = browser.new_context(offline=True, viewport={"width": 360, "height": 740})
    page = context.new_page()
    page.goto((BOOK / f"{CHAPTERS[1]}.html").as_uri())
    yield page
    context.close()


def test_a_phone_leads_on(phone):
    number = PAGES.index(CHAPTERS[1])
    for side, page in (("left-prev", PAGES[number - 1]), ("right-next", PAGES[number + 1])):
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
