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
# A strict Content-Security-Policy refuses the style element that MathJax writes into a page,
# but not a stylesheet that a script makes.
STYLES = """\
MathJax.startup = {
  ready() {
    MathJax.startup.defaultReady();
    MathJax.startup.document.addStyleSheet = function () {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(this.documentStyleSheet().textContent);
      document.adoptedStyleSheets.push(sheet);
    };
  },
};
"""


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


def copy(app, error):
    if error or app.builder.format != "html":
        return
    source = Path(find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    for name in ["startup.js", *(f"{part}.js" for part in PARTS)]:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, target / name)
    startup = target / "startup.js"
    startup.write_text(STYLES + startup.read_text(encoding="utf-8"), encoding="utf-8")
    shutil.copytree(source / FONTS, target / FONTS, dirs_exist_ok=True)
