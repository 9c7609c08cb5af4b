"""What nbval lets through: each check takes a notebook and returns what is wrong with it.

`problems` adds the file, and what to do.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from tools.notebooks import CELL_METADATA, METADATA

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "follow_the_tensor"
CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TAGS = {"setup", "hide-input", "hide-output", "hide-cell", "remove-output", "raises-exception"}
TAGS |= {"course"}  # in the first cell: the numbers in this chapter's text need no proof
LARGEST = 400_000  # bytes

MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|tmp|Users|opt|usr|var)/|[A-Z]:\\|site-packages")
DIFFERS = {  # from machine to machine, or from run to run
    "the path": MACHINE_PATH,
    "the address": re.compile(r"\b0x[0-9a-fA-F]{6,}"),
    "the warning": re.compile(r"\w*Warning:"),
    "the time": re.compile(
        r"\b\d+(\.\d+)?\s?(ms|µs|us|ns|sec|seconds?|minutes?|s/it|it/s)\b|\b\d+\.\d+\s?s\b"
        r"|Wall time|CPU times|per loop"
    ),
}
TIMED = re.compile(r"^\s*%%?time(it)?\b", re.MULTILINE)
MYST = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})\{|\{[\w:-]+\}`|^\([\w:-]+\)=\s*$|^\+\+\+", re.MULTILINE)
IMAGE_WITHOUT_TEXT = re.compile(r"!\[\s*\]\(|<img(?![^>]*\balt=[\"'][^\"'])[^>]*>")


def of_kind(notebook, kind):
    return [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == kind]


def outputs(notebook):
    return [(i, cell, out) for i, cell in of_kind(notebook, "code") for out in cell.outputs]


def texts(output):
    """Every piece of text in an output, images left out."""
    parts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    for kind, data in output.get("data", {}).items():
        if not kind.startswith("image/") or kind == "image/svg+xml":
            parts.append(data if isinstance(data, str) else json.dumps(data))
    return "\n".join(parts)


def tags(cell):
    return cell.metadata.get("tags", [])


def counts(notebook):
    """nbval passes a cell that was never executed, and does not look at the counts."""
    for n, (i, cell) in enumerate(of_kind(notebook, "code"), start=1):
        found = [out.get("execution_count", n) for out in cell.outputs] + [cell.execution_count]
        if set(found) != {n}:
            return [f"cell {i} is code cell {n} and was executed as {found[0]}"]
    return []


def opening(notebook):
    """A search shows a chapter by its title and its first sentences."""
    first = notebook.cells[0].source if notebook.cells else ""
    good = re.match(r"# \S.*\n\n\S", first)
    return [] if good else ["the first cell needs a title, '# N · Title', and a paragraph below it"]


def empty_cells(notebook):
    return [
        f"cell {i} is empty" for i, cell in enumerate(notebook.cells) if not cell.source.strip()
    ]


def errors(notebook):
    """An error is there if and only if the cell says so."""
    wrong = []
    for i, cell in of_kind(notebook, "code"):
        raised = any(output.output_type == "error" for output in cell.outputs)
        if raised != ("raises-exception" in tags(cell)):
            wrong.append(f"cell {i} {'ends' if raised else 'does not end'} in an error")
    return wrong


def repeatable(notebook):
    wrong = [f"cell {i} prints to stderr" for i, _, out in outputs(notebook)
             if out.get("name") == "stderr"]  # fmt: skip
    wrong += [f"cell {i} measures time" for i, cell in of_kind(notebook, "code")
              if TIMED.search(cell.source)]  # fmt: skip
    wrong += [f"cell {i} names a path of this machine" for i, cell in enumerate(notebook.cells)
              if MACHINE_PATH.search(cell.source)]  # fmt: skip
    for i, _, output in outputs(notebook):
        found = {what: pattern.search(texts(output)) for what, pattern in DIFFERS.items()}
        wrong += [f"cell {i} shows {what} {hit[0]!r}" for what, hit in found.items() if hit]
    return wrong


def unchecked(notebook):
    """No cell may ask nbval to look away."""
    cells = [(i, f"{cell.source} {tags(cell)}".lower()) for i, cell in of_kind(notebook, "code")]
    return [f"cell {i} is kept from validation" for i, text in cells if "nbval" in text]


def widgets(notebook):
    """Without text/html a widget leaves nothing on the page."""
    view = "application/vnd.jupyter.widget-view+json"
    shown = [(i, out.get("data", {})) for i, _, out in outputs(notebook)]
    return [f"cell {i} ends in a widget without text/html" for i, data in shown
            if view in data and "text/html" not in data]  # fmt: skip


def alternatives(notebook):
    shown = [(i, cell.source) for i, cell in of_kind(notebook, "markdown")]
    shown += [(i, texts(output)) for i, _, output in outputs(notebook)]
    bare = [i for i, text in shown if IMAGE_WITHOUT_TEXT.search(text)]
    for i, cell, output in outputs(notebook):
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if any(kind.startswith("image/") for kind in output.get("data", {})) and not alt.strip():
            bare.append(i)
    return [f"cell {i} has an image without alternative text" for i in bare]


def definitions(tree):
    """The names of top-level classes and functions."""
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


def offered(package):
    """The package's classes, and whatever __init__.py offers."""
    classes = {n.name for tree in package for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
    front = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in front.body if isinstance(node, ast.ImportFrom)]
    return classes.union(*({alias.name for alias in node.names} for node in imports))


def body(function):
    """What a function does, without its name, arguments and docstring; None if it is one line."""
    statements = function.body[1:] if ast.get_docstring(function) else function.body
    return [ast.dump(line) for line in statements] if len(statements) > 1 else None


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


@cache
def of_package():
    """The names and the bodies of functions that a notebook must not repeat."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    return offered(trees), [body(node) for tree in trees for node in functions(tree) if body(node)]


def python(cell):
    """The syntax tree of a cell, magics translated; an empty one if it is wrong on purpose."""
    return _python(cell.source)


@cache
def _python(source):
    try:
        return ast.parse(TransformerManager().transform_cell(source))
    except SyntaxError:
        return ast.parse("")


def retyped(notebook):
    """The package is shown by show_source; a copy in a notebook would drift."""
    names, bodies = of_package()
    wrong = []
    for i, cell in of_kind(notebook, "code"):
        tree = python(cell)
        wrong += [f"cell {i} defines the package's {name}" for name in names & definitions(tree)]
        wrong += [f"cell {i}: {node.name} copies a function of the package"
                  for node in functions(tree) if body(node) in bodies]  # fmt: skip
    return wrong


def metadata(notebook):
    """Only what make notebooks writes: nothing of an editor, a machine or a run."""
    wrong = [] if notebook.metadata == METADATA else ["the notebook has metadata of an editor"]
    for i, cell in enumerate(notebook.cells):
        strange = [*(cell.metadata.keys() - CELL_METADATA), *cell.get("attachments", {})]
        wrong += [f"cell {i} has the metadata or attachment {name!r}" for name in strange]
    return wrong


def known_tags(notebook):
    cells = enumerate(notebook.cells)
    return [f"cell {i} has the tag {tag!r}" for i, cell in cells for tag in {*tags(cell)} - TAGS]


def directives(notebook):
    """Jupyter, Colab and GitHub do not know MyST."""
    found = [(i, MYST.search(cell.source)) for i, cell in of_kind(notebook, "markdown")]
    return [f"cell {i} has the MyST syntax {hit[0].strip()!r}" for i, hit in found if hit]


def size(notebook):
    length = len(nbformat.writes(notebook).encode())
    return [f"it has {length} bytes, more than {LARGEST}"] if length > LARGEST else []


STORE = "run make notebooks ONLY={}"
CHECKS = {  # and what to do
    counts: STORE,
    metadata: STORE,
    opening: "write it, below the title, as tools/chapter.ipynb does",
    empty_cells: "delete the cell",
    errors: "mend the code, or set or drop the tag raises-exception, then " + STORE,
    repeatable: "print what is the same in every run and on every machine, then " + STORE,
    unchecked: "take that out: an output that cannot be compared cannot be trusted",
    widgets: "give the widget a _repr_mimebundle_ with text/html, as follow_the_tensor's have",
    alternatives: 'describe it: ![text](…) in Markdown, for an output "mystnb": '
    '{{"image": {{"alt": "…"}}}} in the metadata of the cell',
    retyped: "import it and show it with show_source",
    known_tags: f"take one of {', '.join(sorted(TAGS))}",
    directives: "write plain Markdown, which Jupyter, Colab and GitHub know",
    size: "draw fewer or smaller pictures, or print less",
}


def problems(check, notebook, path):
    """The complaints of a check, each with the file and what to do."""
    return [f"{path}: {wrong}: {CHECKS[check].format(path)}" for wrong in check(notebook)]
