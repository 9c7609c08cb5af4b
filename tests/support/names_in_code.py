"""The names that code uses, read from its syntax tree and not from its text."""

import ast

import nbformat

from tests.support.notebook_guard import PACKAGE, python


def module_tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def notebook_tree(path):
    """All code cells of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    lines = [line for c in cells if c.cell_type == "code" for line in python(c).body]
    return ast.Module(lines, [])


def names_in(tree):
    """Two sets: full names that imports resolve, such as torch.nn.Linear, and names behind the
    dot of anything else, such as view in x.view(3)."""
    aliases, resolved, attributes = dict(_imports(tree)), set(), set()
    open_nodes = [tree]
    while open_nodes:
        node = open_nodes.pop()
        if name := _resolved(node, aliases):
            resolved.add(name)
            continue
        if isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        open_nodes += ast.iter_child_nodes(node)
    return resolved, attributes


def _imports(tree):
    """Pairs: the name in this code, and what it stands for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for name in node.names:
                top = name.name.partition(".")[0]
                yield (name.asname, name.name) if name.asname else (top, top)
        elif isinstance(node, ast.ImportFrom):
            module = ".".join(filter(None, [PACKAGE.name if node.level else "", node.module]))
            for name in node.names:
                yield name.asname or name.name, f"{module}.{name.name}"


def _resolved(node, aliases):
    if isinstance(node, ast.Name):
        return aliases.get(node.id)
    if isinstance(node, ast.Attribute) and (base := _resolved(node.value, aliases)):
        return f"{base}.{node.attr}"
    return None
