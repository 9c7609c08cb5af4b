"""Make one text of an explorable's ES module and the kit that all of them share.

A module begins with `import { … } from "./kit.js";` and ends with `export default { … };`.
Neither a widget in Jupyter nor a page opened from a file can load that import, so the
kit's text goes in front. Nothing here needs PyTorch: the book is built without it.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./kit\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?:default )?(\{[^}]*\});$", re.MULTILINE)


def widget_module(name):
    """The ES module of the explorable `name` as text that needs no other file."""
    return f"const kit = {_kit()};\nexport default {_factory(name)}(kit);\n"


def page_script(name):
    """A classic script that gives the explorable `name` to the host in a page."""
    return f"explorables.define({name!r}, {_factory(name)});\n"


def page_host():
    """A classic script that finds the explorables in a page and brings them to life."""
    return f"const kit = {_kit()};\n{_read('host.js')}"


def modules():
    """The names of all explorables."""
    shared = {"host", "kit"}
    return sorted(file.stem for file in FOLDER.glob("*.js") if file.stem not in shared)


def stylesheet():
    """The style of all explorables; the colours come from `palette.css`."""
    return _read("explorable.css")


def _kit():
    """The kit as an expression: an object of its functions."""
    return "(() => {\n" + EXPORT.sub(r"return \1;", _read("kit.js")) + "})()"


def _factory(name):
    """A module as an expression: a function from the kit to what the module exports."""
    text = IMPORT.sub(r"const \1 = kit;", _read(f"{name}.js"))
    return "((kit) => {\n" + EXPORT.sub(r"return \1;", text) + "})"


def _read(file):
    return (FOLDER / file).read_text(encoding="utf-8")
