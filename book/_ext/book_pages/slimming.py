"""Remove from the built book the files that no page loads."""

import shutil
from pathlib import Path

UNUSED = [
    "scripts/fontawesome.js*",  # see icons.py
    "scripts/*.map",
    "styles/*.map",
    "locales",
    "*webpack-macros.html",
    "vendor/fontawesome/webfonts/*.ttf",
]


def setup(app):
    app.connect("build-finished", remove, priority=900)


def remove(app, error):
    if error or app.builder.format != "html":
        return
    for pattern in UNUSED:
        for path in (Path(app.outdir) / "_static").glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
