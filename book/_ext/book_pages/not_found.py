"""404.html, which a host shows in place of a page that it does not have.

The host shows it at any depth, so links that are counted from the page would lead nowhere.
They are counted from the book's address, if that is known.
"""

import re
from pathlib import Path

LINK = re.compile(r'((?:href|src|action|data-content_root)=")(?!#|\w+:)(?:\./)?')


def setup(app):
    app.connect("html-collect-pages", page)
    app.connect("html-page-context", without_address)
    app.connect("build-finished", link_from_anywhere, priority=900)


def page(app):
    yield "404", {"title": "Page not found"}, "not_found.html"


def without_address(app, pagename, templatename, context, doctree):
    if pagename == "404":
        context["pageurl"] = None


def link_from_anywhere(app, error):
    address = app.config.html_baseurl
    if error or not address or app.builder.format != "html":
        return
    path = Path(app.outdir) / "404.html"
    text = path.read_text(encoding="utf-8")
    path.write_text(LINK.sub(rf"\g<1>{address}", text), encoding="utf-8")
