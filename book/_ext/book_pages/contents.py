"""A link to a page that _toc.yml leaves out becomes its words; the build says once which."""

from collections import defaultdict

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.util.console import colorize

left_out = defaultdict(set)  # page that is left out -> pages that would have linked to it


def setup(app):
    app.connect("doctree-read", unlink)
    app.connect("build-finished", tell)


def unlink(app, doctree):
    for link in list(doctree.findall(pending_xref)):
        page = link["reftarget"]
        if link.get("refdomain") == "doc" and page not in app.env.found_docs:
            link.replace_self(nodes.inline("", "", *link.children))
            left_out[page].add(app.env.docname)


def tell(app, error):
    for page, linked in sorted(left_out.items()):
        words = f"{page} is not in _toc.yml: links to it are plain words in"
        print(colorize("blue", f"{words} {', '.join(sorted(linked))}"))
