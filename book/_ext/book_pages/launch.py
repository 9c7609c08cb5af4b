"""Under each chapter's title: open it in Colab, or download the copy that runs anywhere."""

from html import escape
from pathlib import Path

from sphinx.util.osutil import relative_uri

from . import repository

TWO_STEPS = "book/running"  # how to bring a download to Colab by hand
TWO_STEPS_ANCHOR = "#in-colab-in-two-steps"


def setup(app):
    app.connect("builder-inited", find_repository)
    app.connect("html-page-context", add_links)


def find_repository(app):
    app.env.book_source = repository.on_github(), repository.commit()


def colab(app, pagename):
    name, commit = app.env.book_source
    if name is None:
        return app.builder.get_relative_uri(pagename, TWO_STEPS) + TWO_STEPS_ANCHOR
    return f"https://colab.research.google.com/github/{name}/blob/{commit}/{pagename}.ipynb"


def download(app, pagename):
    return relative_uri(app.builder.get_target_uri(pagename), f"_sources/{pagename}.ipynb")


def links(app, pagename):
    file = f"{Path(pagename).name}.ipynb"
    return (
        '<p class="launch">'
        f'<a href="{escape(colab(app, pagename))}">Open in Colab</a> '
        f'<a href="{escape(download(app, pagename))}" download="{file}">Download the notebook</a>'
        "</p>"
    )


def add_links(app, pagename, templatename, context, doctree):
    if pagename.startswith("notebooks/"):
        title, end, rest = context["body"].partition("</h1>")
        context["body"] = title + end + links(app, pagename) + rest
