"""404.html, which a host shows in place of a page that it does not have.

The host shows it at any depth, so links that are counted from the page would lead nowhere.
They are counted from the book's address, if that is known.
"""

from urllib.parse import urlsplit

from lxml import etree

LINKS = {"href", "src", "action", "data-content_root"}


def setup(app):
    app.connect("html-collect-pages", page)
    app.connect("html-page-context", without_address)


def page(app):
    yield "404", {"title": "Page not found"}, "not_found.html"


def without_address(app, pagename, templatename, context, doctree):
    if pagename == "404":
        context["pageurl"] = None


def links_from_anywhere(page):
    if page.path.name != "404.html" or not page.address:
        return
    for element in page.tree.iter(etree.Element):
        for name in LINKS & set(element.keys()):
            link = element.get(name)
            if not link.startswith("#") and not urlsplit(link).scheme:
                element.set(name, page.address + link.removeprefix("./"))
