"""The copy of a chapter that its page offers: complete, so that it runs without the repository.

Its set-up cell carries the package as text, and the trained weights where the chapter uses them.
"""

import base64
import json
import re
import textwrap
from pathlib import Path

from .repository import ROOT

PACKAGE = ROOT / "src" / "follow_the_tensor"
TEMPLATE = Path(__file__).parent / "setup_cells" / "download.py"
TEXT = {".py", ".js", ".css"}
WEIGHTS = "dates/reader.safetensors"
USES_WEIGHTS = re.compile(r"load_date_reader|ReadDates")


def setup(app):
    app.connect("build-finished", write)


def literal(text):
    """Python source of a string, written so that it can be read."""
    assert text.endswith("\n"), text[-80:]
    if "'''" not in text:
        return f"r'''{text}'''"
    escaped = text.replace("\\", r"\\").replace("'''", r"\'\'\'")
    return f"'''{escaped}'''"


def dictionary(entries):
    lines = "".join(f"    {name!r}: {value},\n" for name, value in entries.items())
    return f"{{\n{lines}}}" if entries else "{}"


def package_files():
    paths = sorted(path for path in PACKAGE.rglob("*") if path.suffix in TEXT)
    return {
        path.relative_to(PACKAGE).as_posix(): literal(path.read_text(encoding="utf-8"))
        for path in paths
    }


def weights():
    numbers = base64.b64encode((PACKAGE / WEIGHTS).read_bytes()).decode()
    return {WEIGHTS: "'''\n" + textwrap.fill(numbers, 100) + "\n'''"}


def setup_cell(with_weights):
    numbers = weights() if with_weights else {}
    cell = TEMPLATE.read_text(encoding="utf-8").strip()
    cell = cell.replace("NUMBERS = {}", f"NUMBERS = {dictionary(numbers)}")
    return cell.replace("FILES = {}", f"FILES = {dictionary(package_files())}")


def complete(notebook):
    """The notebook, as JSON, with the package in its set-up cell, folded where that is known."""
    cells = [cell for cell in notebook["cells"] if "setup" in cell["metadata"].get("tags", [])]
    text = "".join(line for cell in notebook["cells"] for line in cell["source"])
    (cell,) = cells
    cell["source"] = setup_cell(bool(USES_WEIGHTS.search(text))).splitlines(keepends=True)
    cell["metadata"] |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
    return notebook


def write(app, error):
    if error or app.builder.format != "html":
        return
    for path in (Path(app.outdir) / "_sources" / "notebooks").glob("*.ipynb"):
        notebook = complete(json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
