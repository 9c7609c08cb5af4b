"""Print the built book as one PDF, through its own pages and their print style (make pdf).

The articles of all pages are put into one page, in the order of _toc.yml, and the browser
prints it: so links between chapters work, pages are numbered through, and the headings are
the outline. Explorables show their stills.
"""

from pathlib import Path

import yaml

from tools.browser import Visit, launch

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
TARGET = BOOK / "book.pdf"
GATHER = Path(__file__).with_name("pdf.js").read_text(encoding="utf-8")
MATHS = "mathjax/startup.js"


def contents():
    """The pages in reading order, each with the name of its part."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [(part["caption"], page["file"]) for part in toc["parts"] for page in part["chapters"]]
    return [("", toc["root"]), *parts]


def print_book(book, pages, target):
    """Write `pages`, pairs of a part's name and a page, to the PDF `target`."""
    texts = [(book / f"{page}.html").read_text(encoding="utf-8") for _, page in pages]
    inputs = [
        {"part": part, "page": page, "url": (book / f"{page}.html").as_uri(), "text": text}
        for (part, page), text in zip(pages, texts, strict=True)
    ]
    start = next(given["page"] for given in inputs if MATHS in given["text"])
    with launch() as browser:
        context = browser.new_context(offline=True, color_scheme="light")
        visit = Visit(context, book / f"{start}.html")  # has MathJax
        visit.page.evaluate(GATHER, {"pages": inputs, "book": book.as_uri()})
        visit.page.pdf(path=target, prefer_css_page_size=True, outline=True, tagged=True)
        if visit.errors:
            raise RuntimeError(f"The page that is printed has errors: {visit.errors}")


if __name__ == "__main__":
    print_book(BOOK, contents(), TARGET)
    print(f"The PDF is ready: {TARGET}")
