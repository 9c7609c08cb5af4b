"""The printed book: a few of its pages, put together and printed as make pdf prints all.

`make pdf` itself looks for every formula of the book, and makes no PDF that lacks one.
"""

import re

import pytest
from pypdf import PdfReader

from tests.support.book import BOOK, CONFIG, PAGES
from tools import pdf

SAMPLE = ["book/index", "book/notation", "notebooks/02_positional_encoding", "book/about"]
TITLES = [CONFIG["title"], "Notation", "2 · Positional encoding", "About this book"]


@pytest.fixture(scope="module")
def print_out(tmp_path_factory):
    """The PDF, and its formulas."""
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    pages = [part for part in pdf.contents() if part[1] in SAMPLE]
    formulas = pdf.print_book(BOOK, pages, target)
    return PdfReader(target), formulas


@pytest.fixture(scope="module")
def printed(print_out):
    return print_out[0]


@pytest.fixture(scope="module")
def formulas(print_out):
    return print_out[1]


@pytest.fixture(scope="module")
def texts(printed):
    return [page.extract_text() for page in printed.pages]


def places(reader):
    """The headings of the first rank in the outline, each with the number of its page."""
    outline = [entry for entry in reader.outline if not isinstance(entry, list)]
    return [(entry.title, reader.get_destination_page_number(entry)) for entry in outline]


def links(reader):
    annotations = (a.get_object() for page in reader.pages for a in page.get("/Annots", ()))
    return [a for a in annotations if a["/Subtype"] == "/Link"]


def test_make_pdf_prints_every_page_in_order():
    assert pdf.LEFT_OUT < set(PAGES)
    assert [page for _, page in pdf.contents()] == [p for p in PAGES if p not in pdf.LEFT_OUT]


def test_headings_are_there_in_order(printed, texts):
    found = [(title, number) for title, number in places(printed) if title in TITLES]
    assert [title for title, _ in found] == TITLES
    for title, number in found:
        assert title in texts[number]
    first = [number for _, number in found]
    assert first == sorted(set(first))  # each on a page of its own


def test_pages_are_a4_and_numbered(printed, texts):
    for number, (page, text) in enumerate(zip(printed.pages, texts, strict=True), 1):
        assert [round(float(side)) for side in page.mediabox[2:]] == [595, 842]
        assert re.search(rf"(?m)^{number}$", text), f"page {number}"


def test_fonts_are_in_the_file(printed):
    for page in printed.pages:
        for font in page["/Resources"].get("/Font", {}).values():
            font = font.get_object()
            if font["/Subtype"] == "/Type3":  # its letters are drawings
                continue
            (inner,) = font["/DescendantFonts"]
            assert "/FontFile2" in inner.get_object()["/FontDescriptor"]


def test_every_formula_is_printed(formulas, texts):
    written = "".join((BOOK / f"{page}.html").read_text(encoding="utf-8") for page in SAMPLE)
    assert len(formulas) == len(re.findall(r'class="math ', written)) > 0
    assert pdf.lost(formulas, texts) == []


def test_a_lost_formula_is_missed(formulas, printed, texts):
    """Also where its page has other formulas, and where one letter is left of it."""
    start, end = (dict(places(printed))[title] for title in TITLES[2:])
    assert len(pdf.lost(formulas, texts[:start] + texts[end:])) == len(formulas)
    for formula in formulas:
        stump = pdf.plain(formula["letters"])
        text = pdf.plain("".join(texts)).replace(stump, stump[:1])
        assert len(pdf.lost([formula], [text])) == 1


def test_answers_are_printed(printed, texts):
    start, end = (dict(places(printed))[title] for title in TITLES[2:])
    chapter = "\n".join(texts[start:end])
    page = (BOOK / f"{SAMPLE[2]}.html").read_text(encoding="utf-8")
    answers = re.findall(r"<summary>Answer</summary>\s*<p>([^<]{8,24})", page)
    assert len(answers) == page.count("<summary>Answer") > 0
    assert not [answer for answer in answers if answer not in chapter]


def test_nothing_is_printed_that_only_a_screen_needs(texts):
    text = "\n".join(texts)
    words = ("undefined", "Open in Colab", "Show code cell", "find_spec", "\\(", "Skip to main")
    assert not [word for word in words if word in text]


def test_links_that_leave_the_book_lead_to_the_web(printed):
    addresses = [link["/A"]["/URI"] for link in links(printed) if "/A" in link]
    assert addresses
    assert all(address.startswith("https://") for address in addresses)


@pytest.mark.parametrize(
    ("place", "heading"),
    [
        ("/notebooks-02_positional_encoding", "2 · Positional encoding"),
        ("/notebooks-02_positional_encoding-arange-exp-sin-and-cos", "arange, exp, sin and cos"),
        ("/book-about", "About this book"),
    ],
)
def test_links_lead_to_chapters_and_sections(printed, texts, place, heading):
    assert place in [link.get("/Dest") for link in links(printed)]
    target = printed.named_destinations[place]
    assert f"{heading}\n" in texts[printed.get_destination_page_number(target)]


def test_the_file_is_tagged_and_says_its_language(printed):
    root = printed.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert printed.metadata.title == CONFIG["title"]
