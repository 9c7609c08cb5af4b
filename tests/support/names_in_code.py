"""The names that code uses, read from its syntax tree and not from its text."""

import ast
from dataclasses import dataclass, field

import nbformat
from IPython.core.inputtransformer2 import TransformerManager

from tests.support.notebook_guard import ROOT

PACKAGE = "follow_the_tensor"


@dataclass
class Names:
    """What some code uses.

    dotted: full names that its imports resolve, such as torch.nn.Linear
    attributes: names behind the dot of anything else, such as view in x.view(3)
    plain: names without a dot that are called, such as zip
    """

    dotted: set = field(default_factory=set)
    attributes: set = field(default_factory=set)
    plain: set = field(default_factory=set)


def names_in(*trees):
    names = Names()
    for tree in trees:
        aliases = dict(_imports(tree))
        _walk(tree, aliases, names)
    return names


def module_tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def notebook_tree(path):
    """All code cells of a notebook; %magic becomes plain Python."""
    cells = nbformat.read(path, as_version=4).cells
    code = [cell.source for cell in cells if cell.cell_type == "code"]
    return ast.parse("\n".join(map(TransformerManager().transform_cell, code)))


def notebooks():
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def _imports(tree):
    """Pairs: the name in this code, and what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.partition(".")[0]
                yield (name.asname, name.name) if name.asname else (top, top)
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, [PACKAGE if node.level else "", node.module]))
            for name in node.names:
                yield name.asname or name.name, f"{module}.{name.name}"


def _walk(node, aliases, names):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        names.plain.add(node.func.id)
    if full := _dotted(node, aliases):
        names.dotted.add(full)
        return
    if isinstance(node, ast.Attribute):
        names.attributes.add(node.attr)
    for child in ast.iter_child_nodes(node):
        _walk(child, aliases, names)


def _dotted(node, aliases):
    if isinstance(node, ast.Name):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute) and (base := _dotted(node.value, aliases)):
        return f"{base}.{node.attr}"
    return None
