"""Print the built book as one PDF, through its own pages and their print style (make pdf).

The articles of all pages are put into one page, in the order of _toc.yml, and the browser
prints it: so links between chapters work, pages are numbered through, and the headings are
the outline. Explorables show their stills. Then it reads the PDF and looks for every formula.
"""

import sys
import unicodedata
from pathlib import Path

import yaml
from pypdf import PdfReader

from book_pages import finishing, whole_book
from tools.browser import Visit, launch

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
TARGET = BOOK / whole_book.PDF
LEFT_OUT = {"book/bad-input"}  # a table to search in, 65 pages long
NEAR = 6  # letters of the text before or after a formula: they tell one x from another
GATHER = Path(__file__).with_name("pdf.js").read_text(encoding="utf-8")
MATHS = "mathjax/startup.js"


def contents():
    """The pages in reading order, each with the name of its part."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [(part["caption"], page["file"]) for part in toc["parts"] for page in part["chapters"]]
    return [page for page in [("", toc["root"]), *parts] if page[1] not in LEFT_OUT]


def print_book(book, pages, target):
    """Write `pages`, pairs of a part's name and a page, to the PDF `target`.

    Returns what pdf.js says about each formula: its page, letters, and the text around it.
    """
    texts = [(book / f"{page}.html").read_text(encoding="utf-8") for _, page in pages]
    inputs = [
        {"part": part, "page": page, "url": (book / f"{page}.html").as_uri(), "text": text}
        for (part, page), text in zip(pages, texts, strict=True)
    ]
    start = next(given["page"] for given in inputs if MATHS in given["text"])
    with launch() as browser:
        context = browser.new_context(offline=True, color_scheme="light")
        visit = Visit(context, book / f"{start}.html")  # has MathJax
        formulas = visit.page.evaluate(GATHER, {"pages": inputs, "book": book.as_uri()})
        visit.page.pdf(path=target, prefer_css_page_size=True, outline=True, tagged=True)
        if visit.errors:
            raise RuntimeError(f"The page that is printed has errors: {visit.errors}")
    return formulas


def plain(text):
    """Only the letters of a text: in a PDF an italic x is another one, and spaces are gaps."""
    same = unicodedata.normalize("NFKC", text).replace("\u2061", "")  # "apply the function"
    return "".join(same.split())


def lost(formulas, texts):
    """The formulas that are not in the texts of the pages, beside the words they stand beside.

    One side is enough, because a page may end on the other.
    """
    printed = plain("".join(texts))
    missing = []
    for formula in formulas:
        letters = plain(formula["letters"])
        before, after = plain(formula["before"])[-NEAR:], plain(formula["after"])[:NEAR]
        if not letters or (before + letters not in printed and letters + after not in printed):
            missing.append(f"{formula['page']}: {formula['before'][-30:]!r} {letters!r}")
    return missing


def main():
    formulas = print_book(BOOK, contents(), TARGET)
    missing = lost(formulas, [page.extract_text() for page in PdfReader(TARGET).pages])
    if missing:
        TARGET.unlink()
        lines = "\n".join(missing)
        return f"No PDF: it lacks formulas. See mathematics.py and tools/pdf.js.\n{lines}"
    for path in BOOK.glob("notebooks/*.html"):
        finishing.change(finishing.read(path, BOOK), [whole_book.link])
    print(f"The PDF is ready, with {len(formulas)} formulas: {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
