"""The copy of a chapter that its page offers: complete, so that it runs without the repository.

Its set-up cell carries the package as text, and the trained weights that the chapter uses. Its
links lead to the published book, and its last cell names author, licence and source.
"""

import base64
import json
import re
import textwrap
from pathlib import Path
from posixpath import dirname, join, normpath, splitext

from .repository import ROOT

PACKAGE = ROOT / "src" / "follow_the_tensor"
TEMPLATE = Path(__file__).parent / "setup_cells" / "download.py"
TEXT = {".py", ".js", ".css"}
WEIGHTS = {  # and who needs them
    "dates/reader.safetensors": "load_date_reader|ReadDates",
    "names/inventor.safetensors": "load_name_inventor|InventNames",
}
LINK = re.compile(r"\[((?:[^][]|\[[^][]*\])+)\]\(([^)\s:#]+)(?:#([^)\s]*))?\)")
CREDIT = """\
---

This chapter is from {home} by {author}, {year}. {credit}

Text and figures: [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/).
Code: [BSD 3-Clause](https://opensource.org/license/bsd-3-clause)."""


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


def weights(name):
    numbers = base64.b64encode((PACKAGE / name).read_bytes()).decode()
    return "'''\n" + textwrap.fill(numbers, 100) + "\n'''"


def setup_cell(chapter):
    """The set-up cell for a chapter with this text."""
    numbers = {name: weights(name) for name, users in WEIGHTS.items() if re.search(users, chapter)}
    cell = TEMPLATE.read_text(encoding="utf-8").strip()
    cell = cell.replace("NUMBERS = {}", f"NUMBERS = {dictionary(numbers)}")
    return cell.replace("FILES = {}", f"FILES = {dictionary(package_files())}")


def online(app, page, text):
    """The Markdown `text` of a page with its links as addresses, or as words without a page."""

    def address(link):
        words, path, anchor = link.groups()
        target = splitext(normpath(join(dirname(page), path)))[0]
        if target not in app.env.found_docs:
            return words
        headings = app.env.metadata[target].get("myst_slugs", {})
        place = f"#{headings[anchor][1]}" if anchor in headings else ""
        return f"[{words}]({app.config.html_baseurl}{app.builder.get_target_uri(target)}{place})"

    return LINK.sub(address, text) if app.config.html_baseurl else text


def credit(app):
    names = app.config.myst_substitutions  # see edition.py
    address = app.config.html_baseurl
    home = f"[{names['title']}]({address})" if address else f"*{names['title']}*"
    return CREDIT.format(home=home, **names)


def complete(app, page, notebook):
    """The notebook, as JSON, with the package in its set-up cell, folded where that is known."""
    text = "".join(line for cell in notebook["cells"] for line in cell["source"])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = online(app, page, "".join(cell["source"])).splitlines(keepends=True)
        elif "setup" in cell["metadata"].get("tags", []):
            cell["source"] = setup_cell(text).splitlines(keepends=True)
            cell["metadata"] |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
    last = {"cell_type": "markdown", "id": "credit", "metadata": {}}
    notebook["cells"].append(last | {"source": credit(app).splitlines(keepends=True)})
    return notebook


def write(app, error):
    if error or app.builder.format != "html":
        return
    sources = Path(app.outdir) / "_sources"
    for path in sources.glob("notebooks/*.ipynb"):
        page = path.relative_to(sources).with_suffix("").as_posix()
        notebook = complete(app, page, json.loads(path.read_text(encoding="utf-8")))
        path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
