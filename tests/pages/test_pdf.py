"""The printed book: a few of its pages, put together and printed as make pdf prints all."""

import re

import pytest
from pypdf import PdfReader

from tests.support.book import BOOK, CONFIG, PAGES
from tools import pdf

SAMPLE = ["book/index", "book/notation", "notebooks/02_positional_encoding", "book/about"]
TITLES = [CONFIG["title"], "Notation", "2 · Positional encoding", "About this book"]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    target = tmp_path_factory.mktemp("pdf") / "book.pdf"
    pdf.print_book(BOOK, [part for part in pdf.contents() if part[1] in SAMPLE], target)
    return PdfReader(target)


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
    assert [page for _, page in pdf.contents()] == PAGES


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


def test_formulas_figures_and_answers_are_printed(printed, texts):
    start, end = (dict(places(printed))[title] for title in TITLES[2:])
    chapter = "\n".join(texts[start:end])
    assert re.search(r"P\s*E\s*\(pos, 2i\) = sin", chapter)  # the formula, drawn
    assert any("/XObject" in page["/Resources"] for page in printed.pages[start:end])
    page = (BOOK / f"{SAMPLE[2]}.html").read_text(encoding="utf-8")
    answers = re.findall(r"<summary>Answer</summary>\s*<p>([^<]{8,24})", page)
    assert len(answers) == page.count("<summary>Answer")
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
