"""Pictures of a chapter on a page without code: `{{ picture 00_idea 5d17f751 }}` names the cell."""

import json
import re

from .repository import ROOT

MARK = re.compile(r"^\{\{ picture (\w+) ([\w-]+) \}\}$", re.MULTILINE)


def setup(app):
    app.connect("source-read", fill)


def fill(app, page, source):
    """`source` is a list of one text, which Sphinx reads afterwards."""

    def picture(mark):
        chapter, cell = mark.groups()
        path = ROOT / "notebooks" / f"{chapter}.ipynb"
        app.env.note_dependency(str(path))
        return f"```{{raw}} html\n{html(path, cell)}\n```"

    if page.startswith("book/"):
        source[0] = MARK.sub(picture, source[0])


def html(path, wanted):
    """The stored HTML of a cell."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = next((cell.get("outputs", []) for cell in cells if cell["id"] == wanted), [])
    for output in outputs:
        if "text/html" in output.get("data", {}):
            return "".join(output["data"]["text/html"])
    raise ValueError(f"{path.name}: no cell {wanted} with a picture; correct the mark on the page")
