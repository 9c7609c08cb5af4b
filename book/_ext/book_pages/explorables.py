"""Put the scripts of the explorables on the pages that show them, and on no others.

The modules live in the package. They are written here as classic scripts, because a page
opened from a file may not load an ES module.
"""

import importlib.util
import re
from pathlib import Path

from sphinx.errors import ExtensionError

PACKAGE = Path(__file__).parents[3] / "src" / "follow_the_tensor"
MODULE = re.compile(r'class="explorable" data-module="(\w+)"')


def setup(app):
    app.add_css_file("palette.css", priority=100)  # before the styles that use its variables
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_files)


def add_scripts(app, pagename, templatename, context, doctree):
    modules = sorted(set(MODULE.findall(context.get("body", ""))))
    bundle = load("explorables/shared/bundle.py")
    if unknown := set(modules) - set(bundle.modules()):
        raise ExtensionError(
            f"{pagename}: data-module={unknown.pop()!r} has no folder in {bundle.EXPLORABLES}"
        )
    if modules:
        app.add_css_file("explorables/explorable.css")
    for place, name in enumerate(bundle.page_scripts(modules)):
        app.add_js_file(f"explorables/{name}", loading_method="defer", priority=600 + place)


def write_files(app, error):
    bundle = load("explorables/shared/bundle.py")
    static = Path(app.outdir) / "_static"
    files = bundle.page_scripts(bundle.modules()) | {"explorable.css": bundle.stylesheet()}
    for name, text in files.items():
        path = static / "explorables" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    static.joinpath("palette.css").write_text(load("drawing/palette.py").css(), encoding="utf-8")


def load(file):
    """Load one file of the package by its path: importing the package needs PyTorch."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, PACKAGE / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
