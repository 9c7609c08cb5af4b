"""Put the scripts of the explorables on the pages that show them, and on no others.

The modules live in the package. They are written here as classic scripts, because a page
opened from a file may not load an ES module.
"""

import importlib.util
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[3] / "src" / "follow_the_tensor"
MODULE = re.compile(r'class="explorable" data-module="(\w+)"')


def setup(app):
    app.add_css_file("palette.css", priority=100)  # before the styles that use its variables
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_files)


def add_scripts(app, pagename, templatename, context, doctree):
    modules = sorted(set(MODULE.findall(context.get("body", ""))))
    if modules:
        app.add_css_file("explorables/explorable.css")
        app.add_js_file("explorables/host.js", loading_method="defer", priority=600)
    weights = load("explorables/shared/bundle.py").WEIGHTS
    for module in modules:
        if module in weights:  # before the module, which computes with them at once
            app.add_js_file(weights_file(module), loading_method="defer", priority=601)
        app.add_js_file(f"explorables/{module}.js", loading_method="defer", priority=601)


def write_files(app, error):
    bundle = load("explorables/shared/bundle.py")
    static = Path(app.outdir) / "_static"
    folder = static / "explorables"
    folder.mkdir(parents=True, exist_ok=True)
    static.joinpath("palette.css").write_text(load("drawing/palette.py").css(), encoding="utf-8")
    folder.joinpath("explorable.css").write_text(bundle.stylesheet(), encoding="utf-8")
    folder.joinpath("host.js").write_text(bundle.page_host(), encoding="utf-8")
    for name in bundle.modules():
        folder.joinpath(f"{name}.js").write_text(bundle.page_script(name), encoding="utf-8")
    for name in bundle.WEIGHTS:
        static.joinpath(weights_file(name)).write_text(bundle.page_weights(name), encoding="utf-8")


def weights_file(module):
    return f"explorables/{module}_weights.js"


def load(file):
    """Load one file of the package by its path: importing the package needs PyTorch."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, PACKAGE / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
