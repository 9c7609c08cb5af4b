"""Which edition this is, for the pages: `{{ edition }}` is the version and the commit's date."""

import tomllib

from .repository import ROOT, git


def setup(app):
    app.connect("config-inited", add)


def add(app, config):
    config.myst_substitutions = {"edition": edition()}


def edition():
    """Such as "0.1.0 of 2026-11-30"; without the date where git does not know it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    date = git("log", "-1", "--format=%cs")
    return " of ".join(filter(None, [project["version"], date]))
