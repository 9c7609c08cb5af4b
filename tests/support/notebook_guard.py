"""What nbval lets through. Each check takes a notebook and returns a list of complaints."""

import ast
import json
import re
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from tools.notebooks import CELL_METADATA, METADATA

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "follow_the_tensor"
TAGS = {"setup", "hide-input", "hide-output", "hide-cell", "remove-output", "raises-exception"}
LARGEST = 400_000  # bytes

MACHINE_PATH = re.compile(r"(?<![\w.])/(home|root|tmp|Users|opt|usr|var)/|[A-Z]:\\|site-packages")
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
WARNING = re.compile(r"\w*Warning:")
TIMING = re.compile(
    r"\b\d+(\.\d+)?\s?(ms|µs|us|ns|sec|seconds?|minutes?|s/it|it/s)\b|\b\d+\.\d+\s?s\b"
    r"|Wall time|CPU times|per loop"
)
UNCHECKED = re.compile(r"nbval", re.IGNORECASE)
TIMED = re.compile(r"^\s*%%?time(it)?\b", re.MULTILINE)
MYST = re.compile(r"^\s*(`{3,}|~{3,}|:{3,})\{|\{[\w:-]+\}`|^\([\w:-]+\)=\s*$|^\+\+\+", re.MULTILINE)
IMAGE_WITHOUT_TEXT = re.compile(r"!\[\s*\]\(|<img(?![^>]*\balt=[\"'][^\"'])[^>]*>")


def code_cells(notebook):
    return [(i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]


def outputs(notebook):
    return [(i, cell, out) for i, cell in code_cells(notebook) for out in cell.outputs]


def texts(output):
    """Every piece of text in an output, images left out."""
    parts = [output.get("text", ""), output.get("evalue", ""), *output.get("traceback", [])]
    for kind, data in output.get("data", {}).items():
        if not kind.startswith("image/") or kind == "image/svg+xml":
            parts.append(data if isinstance(data, str) else json.dumps(data))
    return "\n".join(parts)


def found(pattern, notebook, what):
    hits = [(i, pattern.search(texts(output))) for i, _, output in outputs(notebook)]
    return [f"cell {i}: {what}: {hit.group(0)!r}" for i, hit in hits if hit]


def counts(notebook):
    """nbval passes a cell that was never executed, and does not look at the counts."""
    numbers = [cell.execution_count for _, cell in code_cells(notebook)]
    wanted = list(range(1, len(numbers) + 1))
    if numbers != wanted:
        return [f"execution counts are {numbers}, not 1..{len(numbers)}"]
    return [
        f"cell {i}: its result is counted {output.execution_count}"
        for i, cell, output in outputs(notebook)
        if output.get("execution_count", cell.execution_count) != cell.execution_count
    ]


def empty_cells(notebook):
    return [
        f"cell {i} is empty" for i, cell in enumerate(notebook.cells) if not cell.source.strip()
    ]


def stderr(notebook):
    return [f"cell {i}: stderr" for i, _, out in outputs(notebook) if out.get("name") == "stderr"]


def errors(notebook):
    """An error is there if and only if the cell says so."""
    complaints = []
    for i, cell in code_cells(notebook):
        raised = any(output.output_type == "error" for output in cell.outputs)
        if raised != ("raises-exception" in cell.metadata.get("tags", [])):
            complaints.append(f"cell {i}: error and the tag raises-exception do not go together")
    return complaints


def machine_paths(notebook):
    sources = [f"cell {i}: machine path" for i, cell in enumerate(notebook.cells)
               if MACHINE_PATH.search(cell.source)]  # fmt: skip
    return sources + found(MACHINE_PATH, notebook, "machine path")


def addresses(notebook):
    return found(ADDRESS, notebook, "object address")


def warnings(notebook):
    return found(WARNING, notebook, "warning")


def timings(notebook):
    magics = [f"cell {i}: %time" for i, cell in code_cells(notebook) if TIMED.search(cell.source)]
    return magics + found(TIMING, notebook, "timing")


def unchecked(notebook):
    """No cell may ask nbval to look away."""
    sources = [
        (i, cell.source + str(cell.metadata.get("tags"))) for i, cell in code_cells(notebook)
    ]
    return [f"cell {i}: excluded from validation" for i, text in sources if UNCHECKED.search(text)]


def widgets(notebook):
    """Without text/html a widget leaves nothing on the page."""
    view = "application/vnd.jupyter.widget-view+json"
    shown = [(i, out.get("data", {})) for i, _, out in outputs(notebook)]
    return [f"cell {i}: widget without text/html" for i, data in shown
            if view in data and "text/html" not in data]  # fmt: skip


def alternatives(notebook):
    """Images need alternative text: metadata mystnb.image.alt, or ![text] in Markdown."""
    complaints = []
    for i, cell, output in outputs(notebook):
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if any(kind.startswith("image/") for kind in output.get("data", {})) and not alt.strip():
            complaints.append(f"cell {i}: image without alternative text")
    shown = [(i, cell.source) for i, cell in enumerate(notebook.cells) if cell.cell_type != "code"]
    shown += [(i, texts(output)) for i, _, output in outputs(notebook)]
    complaints += [f"cell {i}: image without alternative text" for i, text in shown
                   if IMAGE_WITHOUT_TEXT.search(text)]  # fmt: skip
    return complaints


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


def package_trees():
    return [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]


def python(cell):
    """The syntax tree of a cell, magics translated; an empty one if it is wrong on purpose."""
    try:
        return ast.parse(TransformerManager().transform_cell(cell.source))
    except SyntaxError:
        return ast.parse("")


def retyped(notebook):
    """The package is shown by show_source; a copy in a notebook would drift."""
    package = package_trees()
    names = offered(package)
    bodies = [body(node) for tree in package for node in functions(tree) if body(node)]
    complaints = []
    for i, cell in code_cells(notebook):
        tree = python(cell)
        complaints += [f"cell {i}: {name} is the package's" for name in names & definitions(tree)]
        complaints += [f"cell {i}: {node.name} copies the package's code"
                       for node in functions(tree) if body(node) in bodies]  # fmt: skip
    return complaints


def metadata(notebook):
    """Only what make notebooks writes: nothing of an editor, a machine or a run."""
    complaints = [] if notebook.metadata == METADATA else [f"metadata is {dict(notebook.metadata)}"]
    for i, cell in enumerate(notebook.cells):
        complaints += [
            f"cell {i}: metadata {key!r}" for key in cell.metadata.keys() - CELL_METADATA
        ]
        complaints += [f"cell {i}: tag {tag!r}" for tag in {*cell.metadata.get("tags", [])} - TAGS]
        complaints += [f"cell {i}: attachment" for _ in cell.get("attachments", {})]
    return complaints


def directives(notebook):
    """Jupyter, Colab and GitHub do not know MyST."""
    cells = [
        (i, cell.source) for i, cell in enumerate(notebook.cells) if cell.cell_type == "markdown"
    ]
    return [
        f"cell {i}: MyST {MYST.search(text).group(0)!r}" for i, text in cells if MYST.search(text)
    ]


def size(notebook):
    length = len(nbformat.writes(notebook).encode())
    return [] if length <= LARGEST else [f"{length} bytes, more than {LARGEST}"]


CHECKS = [
    counts, empty_cells, stderr, errors, machine_paths, addresses, warnings, timings, unchecked,
    widgets, alternatives, retyped, metadata, directives, size,
]  # fmt: skip
