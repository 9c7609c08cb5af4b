"""What this edition calls itself. The names come from _config.yml, and nothing repeats them.

Pages write `{{ title }}`, `{{ author }}`, `{{ year }}` and `{{ edition }}`, which is the version
and the commit's date. `{{ credit }}` names the book that this one was made from, if it is another.
"""

import re
import tomllib

from .repository import ROOT, git

ORIGINAL = "Follow the Tensor"


def setup(app):
    app.connect("config-inited", add)


def add(app, config):
    names = {
        "title": config.html_title,
        "author": config.author,
        "year": config.copyright,
        "edition": edition(),
        "credit": credit(config.author),
    }
    config.myst_substitutions = config.myst_substitutions | names
    config.html_context["credit"] = names["credit"]


def edition():
    """Such as "0.1.0 of 2026-11-30"; without the date where git does not know it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    date = git("log", "-1", "--format=%cs")
    return " of ".join(filter(None, [project["version"], date]))


def credit(author):
    """What both licences ask of an adapted book: the names of those who wrote the original."""
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    holder = re.search(r"^Copyright \(c\) \d+, (.+)$", licence, re.MULTILINE)[1]
    return "" if holder in author else f"Adapted from {ORIGINAL} by {holder}."
