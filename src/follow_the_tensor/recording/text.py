"""The text of what runs: what its file says today, if that is still what runs."""

import __future__

import ast
import inspect
import linecache
import os
import sys
import types
import warnings
from contextlib import contextmanager
from functools import lru_cache, partial, partialmethod

FUTURE = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
WRAPPERS = {  # what holds a function -> the name under which it does
    types.MethodType: "__func__",
    staticmethod: "__func__",
    classmethod: "__func__",
    property: "fget",
    partial: "func",
    partialmethod: "func",
}


class NoText(Exception):
    """There is no text to show. Its message is the reason and what to do."""


class Changed(NoText):
    """There is a text, and it is not what runs."""

    def __init__(self, file):
        super().__init__(
            f"{os.path.basename(file)} has changed since it was imported, so its text is not "
            "what runs; restart the kernel and run the cells again"
        )


def text_of(code, space):
    """The lines of a function, and the number of the first one in its file.

    `space` are the globals of the function. Of a lambda it is the statement that holds it.

    Raises:
        NoText: there are no lines, or they are not what runs.
    """
    lines = _lines(code.co_filename, space)
    tree, codes = _compiled("".join(lines), code.co_flags & FUTURE)
    if _key(code) not in codes:
        raise Changed(code.co_filename)
    first = code.co_firstlineno
    if code.co_name == "<lambda>":
        first, last = _statement_around(tree, first)
        return lines[first - 1 : last], first
    return inspect.getblock(lines[first - 1 :]), first


def text_of_class(cls):
    """The lines of a class statement. What tells that they still run are its methods.

    Raises:
        NoText: there are no lines, or they are not what runs.
    """
    functions = {name: held_function(each) for name, each in vars(cls).items()}
    codes = [each.__code__ for each in functions.values() if isinstance(each, types.FunctionType)]
    own = [code for code in codes if code.co_qualname == f"{cls.__qualname__}.{code.co_name}"]
    space = vars(sys.modules.get(cls.__module__, types.ModuleType("")))
    file = own[0].co_filename if own else space.get("__file__")
    if file is None:
        raise NoText(
            "it has no method in Python by which its text could be found; show a function of yours"
        )
    own = [code for code in own if code.co_filename == file]
    lines = _lines(file, space)
    tree, known = _compiled("".join(lines), own[0].co_flags & FUTURE if own else 0)
    statements = [node for name, node in _classes(tree) if name == cls.__qualname__]
    running = {_key(code) for code in own}
    for node in reversed(statements):
        inside = {key for key in known if node.lineno <= key[0] <= node.end_lineno}
        if running <= inside and _methods(node, cls) <= vars(cls).keys():
            first = min(each.lineno for each in (node, *node.decorator_list))
            return lines[first - 1 : node.end_lineno]
    if statements or running:
        raise Changed(file)
    raise NoText(
        "no class statement made it, but a call such as namedtuple or type; "
        "show what makes that call"
    )


def held_function(thing):
    """The function inside methods, properties, partials and what decorators return."""
    for _ in range(100):  # two may hold each other
        name = WRAPPERS.get(type(thing))
        if name is None and isinstance(thing, type):
            return thing
        inner = getattr(thing, name or "__wrapped__", None)
        if inner is None:
            return thing
        thing = inner
    return thing


def _lines(file, space):
    linecache.checkcache(file)
    lines = linecache.getlines(file, space)  # files, cells of notebooks, archives
    if lines:
        return lines
    if file.startswith("<"):
        raise NoText(
            "its text is not kept, as it was typed into Python or made by exec, the way "
            "dataclass and namedtuple do it; show the class that it belongs to, or write it "
            "into a file or a notebook cell"
        )
    raise NoText(
        f"there is no {os.path.basename(file)} to be read; put it back beside what is compiled"
    )


@lru_cache(maxsize=32)
def _compiled(text, flags):
    """The tree of a text, and the key of each function that Python makes of it today."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # as in a cell of a notebook
    try:
        with _no_warnings():
            tree = ast.parse(text)
            # A file is compiled as a whole, and a cell statement by statement. Where a name is
            # imported in the same text, Python does not make the same of the two.
            parts = [text, *(ast.Module([statement], []) for statement in tree.body)]
            codes = [compile(part, "<text>", "exec", flags, dont_inherit=True) for part in parts]
    except (SyntaxError, ValueError):  # half-written, or with a null character
        return ast.Module([], []), frozenset()
    for code in codes:  # which grows
        codes += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return tree, frozenset(_key(code) for code in codes)


@contextmanager
def _no_warnings():
    """Not catch_warnings: after it Python would show again what it has shown once."""
    before, warnings.filters = warnings.filters, [("ignore", None, Warning, None, 0)]
    try:
        yield
    finally:
        warnings.filters = before


def _key(code):
    """All that tells two functions apart, but not the file. Comments are no part of it."""
    names = code.co_name, code.co_qualname, code.co_names, code.co_varnames
    cells = code.co_cellvars, code.co_freevars
    sizes = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    lines = tuple(line for _, _, line in code.co_lines())
    return code.co_firstlineno, names, cells, sizes, lines, code.co_code, _constant(code.co_consts)


def _constant(value):
    if isinstance(value, types.CodeType):
        return _key(value)
    if isinstance(value, tuple):
        return tuple(_constant(each) for each in value)
    if isinstance(value, frozenset):
        return frozenset(_constant(each) for each in value)
    return type(value), repr(value)  # 1, 1.0 and True are equal, -0.0 and 0.0 too


def _statement_around(tree, line):
    """[first, last] of the innermost statement at a line; of a compound one only the head."""
    found = line, line
    for node in ast.walk(tree):  # from the outside in
        if isinstance(node, ast.stmt):
            above = [each.lineno for each in getattr(node, "decorator_list", [])]
            first = min(node.lineno, *above) if above else node.lineno
            if first <= line <= node.end_lineno:
                found = first, head_end(node)
    return found


def head_end(statement):
    """The last line of a statement; of a compound one, of its head."""
    body = getattr(statement, "body", None)
    return max(statement.lineno, body[0].lineno - 1) if body else statement.end_lineno


def _classes(tree, outer=""):
    """(qualified name, node) of each class in a tree."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield outer + node.name, node
            yield from _classes(node, f"{outer}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from _classes(node, f"{outer}{node.name}.<locals>.")
        else:
            yield from _classes(node, outer)


def _methods(node, cls):
    """The names that the body of a class statement gives to functions."""
    kinds = ast.FunctionDef, ast.AsyncFunctionDef
    names = [each.name for each in node.body if isinstance(each, kinds)]
    hidden = f"_{cls.__name__.lstrip('_')}"
    return {
        hidden + name if name.startswith("__") and not name.endswith("__") else name
        for name in names
    }
