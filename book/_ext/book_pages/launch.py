"""Under each chapter's title: open it in Colab, or download it. Both give the complete copy."""

from html import escape
from pathlib import Path

from sphinx.util.osutil import relative_uri

from .repository import PAGES_BRANCH, repository

COLAB = "https://colab.research.google.com/github"
TWO_STEPS = "book/running"  # how to bring a download to Colab by hand
TWO_STEPS_ANCHOR = "#in-colab-in-two-steps"


def setup(app):
    app.connect("html-page-context", add_links)


def copy(pagename):
    """The complete copy of a chapter (see downloads.py), as a place among the built pages."""
    return f"_sources/{pagename}.ipynb"


def colab(app, pagename):
    if name := repository():
        return f"{COLAB}/{name}/blob/{PAGES_BRANCH}/{copy(pagename)}"
    return app.builder.get_relative_uri(pagename, TWO_STEPS) + TWO_STEPS_ANCHOR


def links(app, pagename):
    file = f"{Path(pagename).name}.ipynb"
    download = relative_uri(app.builder.get_target_uri(pagename), copy(pagename))
    return (
        '<p class="launch">'
        f'<a href="{escape(colab(app, pagename))}">Open in Colab</a> '
        f'<a href="{escape(download)}" download="{file}">Download the notebook</a>'
        "</p>"
    )


def add_links(app, pagename, templatename, context, doctree):
    if pagename.startswith("notebooks/"):
        title, end, rest = context["body"].partition("</h1>")
        context["body"] = title + end + links(app, pagename) + rest
