"""Maths drawn by MathJax from the book's own folder: only the parts that the book uses.

The files come from the installed package sphinx-mathjax-offline, which holds 24 MB of them.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path

PARTS = [
    "core",
    "input/tex-base",
    "input/tex/extensions/ams",
    "input/tex/extensions/boldsymbol",
    "output/chtml",
    "a11y/assistive-mml",  # the formula as MathML, for screen readers
]
FONTS = "output/chtml/fonts"  # loaded by output/chtml itself


def setup(app):
    app.setup_extension("sphinx.ext.mathjax")
    app.connect("config-inited", configure)
    app.connect("build-finished", copy)


def configure(app, config):
    config.mathjax_path = "mathjax/startup.js"
    config.mathjax3_config = {
        "loader": {"load": [part.replace("input/tex/extensions", "[tex]") for part in PARTS]},
        "tex": {"packages": ["base", "ams", "boldsymbol"]},
    }


def only_with_formulas(page):
    """Sphinx gives MathJax also to a page whose chapters have formulas, which is the front page."""
    if page.tree.find_class("math"):
        return
    for script in [*page.tree.iter("script")]:
        if "mathjax/" in script.get("src", "") or "window.MathJax" in (script.text or ""):
            script.drop_tree()


def copy(app, error):
    if error or app.builder.format != "html":
        return
    source = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    for name in ["startup.js", *(f"{part}.js" for part in PARTS)]:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, target / name)
    shutil.copytree(source / FONTS, target / FONTS, dirs_exist_ok=True)
