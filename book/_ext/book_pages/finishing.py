"""The last pass: what is removed from a finished page or rewritten in it, in one readable order.

What is added to a page comes in by Sphinx's events, in the other files. This pass runs once over
each page, when Sphinx has written all of them. Each change takes a page and works on its tree.
"""

from dataclasses import dataclass, field
from pathlib import Path

from lxml import html

from . import citations, icons, mathematics, not_found, strict, whole_book

CHANGES = [
    whole_book.link,
    citations.as_list_items,
    mathematics.only_with_formulas,
    strict.without_print_handler,
    strict.scripts_in_files,
    not_found.links_from_anywhere,  # after this, links do not start from the page any more
    icons.note,
]


@dataclass
class Page:
    """A page of the built book: where it is, and its tree, which the changes work on."""

    path: Path
    book: Path  # the folder of all pages
    tree: html.HtmlElement
    address: str = ""  # where the book will be, if that is known
    icons: set = field(default_factory=set)  # one set for all pages

    @property
    def root(self):
        """The way from the page to the book's folder, such as "../"."""
        return self.tree.get("data-content_root")


def setup(app):
    app.connect("build-finished", finish, priority=800)


def finish(app, error):
    if error or app.builder.format != "html":
        return
    app.env.icons = set()
    for path in sorted(Path(app.outdir).rglob("*.html")):
        page = read(path, Path(app.outdir), app.config.html_baseurl, app.env.icons)
        if page.root is not None:  # a page of Sphinx, not the one that leads on to the first page
            change(page, CHANGES)


def read(path, book, *known):
    return Page(path, book, html.document_fromstring(path.read_text(encoding="utf-8")), *known)


def change(page, changes):
    for each in changes:
        each(page)
    text = html.tostring(page.tree, encoding="unicode", doctype="<!DOCTYPE html>")
    page.path.write_text(text + "\n", encoding="utf-8")
