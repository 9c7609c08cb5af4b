"""Make one text of an explorable's ES module and of the files that it imports.

Neither a widget in Jupyter nor a page opened from a file can load an import, so the text of
an imported file goes in front. A file begins with lines like

    import { el } from "../shared/kit.js";
    import weights from "../../dates/reader.safetensors" with { type: "bytes" };

and ends with `export { … };`, a view with `export default { defaults, compute, render };`.
Nothing here needs PyTorch: the book is built without it.
"""

import base64
import re
from pathlib import Path

SHARED = Path(__file__).parent
EXPLORABLES = SHARED.parent
PARTS = ("__init__.py", "view.js", "samples.py")  # of every explorable
IMPORT = re.compile(r'^import (\{[^}]*\}) from "(\.[^"]+\.js)";\n', re.MULTILINE)
DATA = re.compile(r'^import (\w+) from "(\.[^"]+)" with \{ type: "bytes" \};\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?:default )?(\{[^}]*\});$", re.MULTILINE)


def modules():
    """The names of all explorables: every folder beside this one is an explorable.

    Raises:
        FileNotFoundError: a folder lacks one of its PARTS.
    """
    folders = [path for path in EXPLORABLES.iterdir() if path.is_dir() and any(path.glob("*.*"))]
    names = sorted(path.name for path in folders if path != SHARED and path.name[0] not in "._")
    missing = [f"{name}/{part}" for name in names for part in PARTS if not _exists(name, part)]
    if missing:
        raise FileNotFoundError(
            f"explorables: expected {', '.join(PARTS)} in every folder; write {', '.join(missing)}"
        )
    return names


def widget_module(name):
    """The ES module of the explorable `name` as text that needs no other file."""
    store = SHARED / "store.js"
    return (
        f"{_texts([store])}"
        f"const make = {_maker(name, _with_imports([store]))};\n"
        "let module;\n"
        "function render({ model, el }) {\n"
        '  module ??= make(model.get("weights"));\n'
        f"  return {_variable(store)}.start(module, model, el);\n"
        "}\n"
        "export default { render };\n"
    )


def page_host():
    """A classic script that finds the explorables in a page and brings them to life."""
    host = SHARED / "host.js"
    return f"{_texts([host])}const explorables = {_variable(host)};\n"


def page_script(name):
    """A classic script that gives the explorable `name` to the host in a page."""
    maker = _maker(name, _with_imports([SHARED / "host.js"]))
    return f"explorables.define({name!r}, {maker});\n"


def page_weights(name):
    """A classic script with the weights of the explorable `name`, for before its module."""
    return f'explorables.weights.{name} = "{base64.b64encode(weights(name)).decode()}";\n'


def page_scripts(names):
    """What a page with the explorables `names` loads, in this order: file name -> text."""
    scripts = {"host.js": page_host()} if names else {}
    for name in names:
        if weights(name):  # before the module, which computes with them at once
            scripts[f"{name}_weights.js"] = page_weights(name)
        scripts[f"{name}.js"] = page_script(name)
    return scripts


def weights(name):
    """The bytes that the view of the explorable `name` imports, or None."""
    view = EXPLORABLES / name / "view.js"
    found = DATA.search(_read(view))
    return (view.parent / found[2]).read_bytes() if found else None


def part(path):
    """A file of the explorables and all that it imports, as an expression: what it exports."""
    path = EXPLORABLES / path
    return f"(() => {{\n{_texts([path])}return {_variable(path)};\n}})()"


def stylesheet():
    """The style of all explorables; the colours come from `palette.css`."""
    return _read(SHARED / "explorable.css")


def _exists(name, part):
    return (EXPLORABLES / name / part).exists()


def _maker(name, known):
    """A function from the weights of an explorable to what its view exports."""
    view = EXPLORABLES / name / "view.js"
    data = DATA.search(_read(view))
    parts = [path for path in _with_imports([view]) if path != view and path not in known]
    text = "".join(map(_constant, parts)) + _body(view)
    return f"(({data[1] if data else ''}) => {{\n{text}}})"


def _texts(paths):
    """Files with all that they import, each as a constant, in an order that works."""
    return "".join(map(_constant, _with_imports(paths)))


def _with_imports(paths):
    """The files with all that they import, the imported ones first, each once."""
    found = []
    for path in paths:
        imported = [_imported(path, match[2]) for match in IMPORT.finditer(_read(path))]
        found += [each for each in [*_with_imports(imported), path] if each not in found]
    return found


def _imported(path, relative):
    target = (path.parent / relative).resolve()
    if not target.exists():
        raise FileNotFoundError(f"{_name(path)}: expected a file at the import {relative}")
    return target


def _constant(path):
    return f"const {_variable(path)} = (() => {{\n{_body(path)}}})();\n"


def _body(path):
    """The text of a file, its imports as constants and its export as what it returns."""

    def constant(found):
        return f"const {found[1]} = {_variable(_imported(path, found[2]))};\n"

    text = EXPORT.sub(r"return \1;", IMPORT.sub(constant, DATA.sub("", _read(path))))
    if left := re.search(r"^(import|export)\b.*", text, re.MULTILINE):
        raise ValueError(f"{_name(path)}: expected imports as bundle.py says, got {left[0]}")
    return text


def _variable(path):
    return re.sub(r"\W", "_", _name(path).removesuffix(".js"))


def _name(path):
    return path.relative_to(EXPLORABLES).as_posix()


def _read(path):
    return path.read_text(encoding="utf-8")
