"""Make one text of an explorable's ES module and the parts that it shares with others.

A view begins with `import { … } from "../shared/kit.js";` and ends with `export default { … };`.
Neither a widget in Jupyter nor a page opened from a file can load that import, so the
text of the imported file goes in its place. Nothing here needs PyTorch: the book is built
without it.
"""

import base64
import re
from pathlib import Path

SHARED = Path(__file__).parent
EXPLORABLES = SHARED.parent
WEIGHTS = {"read_dates": "dates/reader.safetensors"}  # what a page computes with
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\.\.?/(?:shared/)?(\w+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:default )?(\{[^}]*\});$", re.MULTILINE)


def widget_module(name):
    """The ES module of the explorable `name` as text that needs no other file."""
    return f"const kit = {part('kit')};\nexport default {_factory(name)}(kit);\n"


def page_script(name):
    """A classic script that gives the explorable `name` to the host in a page."""
    return f"explorables.define({name!r}, {_factory(name)});\n"


def page_host():
    """A classic script that finds the explorables in a page and brings them to life."""
    return f"const kit = {part('kit')};\n{_read(SHARED / 'host.js')}"


def page_weights(name):
    """A classic script with the weights of the explorable `name`, for before its module."""
    file = (EXPLORABLES.parent / WEIGHTS[name]).read_bytes()
    return f'explorables.weights.{name} = "{base64.b64encode(file).decode()}";\n'


def part(name):
    """A file that modules import, as an expression: an object of what it exports."""
    return f"(() => {{\n{_body(SHARED / f'{name}.js')}}})()"


def modules():
    """The names of all explorables."""
    return sorted(view.parent.name for view in EXPLORABLES.glob("*/view.js"))


def stylesheet():
    """The style of all explorables; the colours come from `palette.css`."""
    return _read(SHARED / "explorable.css")


def _factory(name):
    """A module as an expression: a function from the kit to what the module exports."""
    return f"((kit) => {{\n{_body(EXPLORABLES / name / 'view.js')}}})"


def _body(path):
    """The text of a file with what it imports in place of its imports."""
    text = IMPORT.sub(lambda found: f"const {found[1]} = {_imported(found[2])};", _read(path))
    return EXPORT.sub(r"return \1;", text)


def _imported(name):
    return "kit" if name == "kit" else part(name)  # a page has the kit only once


def _read(path):
    return path.read_text(encoding="utf-8")
