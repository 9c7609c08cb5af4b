"""The theme's icons as a few kilobytes of CSS.

The theme loads every icon there is, as a script of 1.5 MB and as rules and fonts of 240 KB.
Here the shapes of the icons that the pages show are taken from the installed theme when the
book is built, and the rest is left out.
"""

import re
from pathlib import Path

import pydata_sphinx_theme

THEME = Path(pydata_sphinx_theme.__file__).parent / "theme" / "pydata_sphinx_theme" / "static"
THEME_STYLES = "styles/pydata-sphinx-theme.css"
KINDS = ".fa-solid, .fa-regular, .fa-brands, .fas, .far, .fab"
BASE = f"""\
:is({KINDS}) {{
  display: inline-block; width: 1em; height: 1em; vertical-align: -0.125em;
  background: currentColor;
  -webkit-mask: var(--icon) center / contain no-repeat;
  mask: var(--icon) center / contain no-repeat;
}}
@media (forced-colors: active) {{
  :is({KINDS}) {{ forced-color-adjust: none; background: ButtonText; }}
}}
"""


def setup(app):
    app.add_css_file("icons.css")
    app.connect("build-finished", write, priority=850)  # after the last pass


def shapes():
    """Map the name of each icon to its width, height and path. The last, solid one wins."""
    script = (THEME / "scripts" / "fontawesome.js").read_text(encoding="utf-8")
    entry = r'[{,]"?([a-z0-9-]+)"?:\[(\d+),(\d+),\[[^\]]*\],"[0-9a-f]+","([^"]+)"\]'
    return {name: shape for name, *shape in re.findall(entry, script)}


def rule(name, width, height, path):
    picture = (
        f"%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}'%3E"
        f"%3Cpath d='{path}'/%3E%3C/svg%3E"
    )
    return f'.fa-{name} {{ --icon: url("data:image/svg+xml,{picture}"); }}\n'


def without_glyphs(css):
    """The theme's stylesheet less its 1900 rules that name an icon's place in a font."""
    return re.sub(r'(?:\.fa-[a-z0-9-]+:before,?)+\{content:"[^"]*"\}', "", css)


def note(page):
    """Remember the icons of a page: the classes that begin with fa-."""
    for element in page.tree.iterfind(".//*[@class]"):
        names = (name for name in element.get("class").split() if name.startswith("fa-"))
        page.icons.update(name.removeprefix("fa-") for name in names)


def write(app, error):
    if error or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    known = shapes()
    rules = [rule(name, *known[name]) for name in sorted(app.env.icons & known.keys())]
    (static / "icons.css").write_text(BASE + "".join(rules), encoding="utf-8")
    theme_css = (THEME / THEME_STYLES).read_text(encoding="utf-8")
    (static / THEME_STYLES).write_text(without_glyphs(theme_css), encoding="utf-8")
