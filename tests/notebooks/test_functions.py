"""The function index names what the chapters use, explains it truly, and leads to the right place.

What it misses goes into book/functions.md, below the heading where readers look for it, like this:

    :::{py:function} softmax(input, dim)
    :module: torch
    What it does, and what comes out: `torch.tensor([1, 2]).tolist()` → `[1, 2]`.
    [Chapter 3: Softmax has a direction](../notebooks/03_attention.ipynb#softmax-has-a-direction)
    :::
"""

import ast
import builtins
import inspect
import re
from importlib.util import find_spec
from pkgutil import resolve_name

import nbformat
import pytest
import torch
from torch import nn

from tests.support.function_index import ENTRIES, EXAMPLES, INDEX, LINK, PAGE
from tests.support.names_in_code import module_tree, names_in, notebook_tree
from tests.support.notebook_guard import CHAPTERS, PACKAGE

ADD = "add it to book/functions.md; tests/notebooks/test_functions.py shows how an entry looks"
MEND = "mend its entry in book/functions.md"

# No chapter reads these: they record calls, draw, run a command, or serve several processes.
PLUMBING = {"recording", "drawing", "explorables", "reader.py", "parallel.py", "__main__.py"}
# The checks of shapes.py ask about modes that no chapter uses.
NOT_READ = {
    "torch.SymInt",  # torch.export
    "torch.amp.is_autocast_available",
    "torch.compiler.is_compiling",  # torch.compile
    "torch.is_autocast_enabled",
    "torch.jit.is_tracing",
}
# Names behind a dot that a tensor or a module has too, and that stand for something else here.
NOT_TORCH = {
    "add": "of a set",
    "clip": "a field of Settings",
    "data": "the text of what show_source returns",
    "index": "of a list or a text",
    "name": "of a changed trait",
    "new": "of a changed trait",
    "type": "of a device",
    "values": "of a dict",
}
# Called where a chapter shows the effect but not the name: the index has to be enough.
EXPLAINED_HERE = {"torch.nn.TransformerDecoder"}  # in the twin of the model, not shown

READ = [path for path in PACKAGE.rglob("*.py") if not PLUMBING & {*path.relative_to(PACKAGE).parts}]
TREES = {path: module_tree(path) for path in READ} | {p: notebook_tree(p) for p in CHAPTERS}
OF_TORCH = {*dir(torch.Tensor), *dir(nn.Module), "training"} - {*dir(object)} - {*NOT_TORCH}
LAST = {entry.last for entry in ENTRIES}


def named(name):
    """Whether a full name has an entry, or needs none; that of a class names its methods too."""
    top = name.partition(".")[0]
    if top not in ("torch", "ipywidgets", PACKAGE.name) or name in NOT_READ:
        return True
    known = top == PACKAGE.name and any(f"{name}.".startswith(f"{entry}.") for entry in INDEX)
    return known or name in INDEX or inspect.ismodule(resolve_name(name))


def of_index(name):
    return name.startswith("_") or name in LAST or name not in OF_TORCH


@pytest.mark.parametrize("path", TREES, ids=lambda path: path.stem)
def test_what_the_code_uses_has_an_entry(path):
    resolved, attributes = names_in(TREES[path])
    if path in READ:  # a chapter that imports it shows what is the package's own
        resolved = {name for name in resolved if not name.startswith(PACKAGE.name)}
    unknown = [name for name in sorted(resolved) if not named(name)]
    unknown += [f".{name}" for name in sorted(attributes) if not of_index(name)]
    if unknown:
        pytest.fail(f"{path.name} uses {', '.join(unknown)}: {ADD}", pytrace=False)


def owner_of(entry):
    name = entry.name.rpartition(".")[0]
    return getattr(builtins, name, None) or resolve_name(name or "builtins")


def parameters(entry):
    """The true parameters of an entry by name, or nothing where Python cannot tell."""
    try:
        return inspect.signature(getattr(owner_of(entry), entry.last)).parameters
    except (AttributeError, TypeError, ValueError):
        return {}


def written_arguments(entry):
    """Names of all arguments on the page, and those with a default."""
    args = ast.parse(f"def f({entry.arguments}): pass").body[0].args
    names = [argument.arg for argument in (*args.posonlyargs, *args.args)]
    values = map(ast.literal_eval, args.defaults)
    return names, dict(zip(names[len(names) - len(args.defaults) :], values, strict=True))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_an_entry_exists_with_these_arguments(entry):
    """Optional ones of PyTorch, with their defaults; of this book's own functions, all."""
    owner = owner_of(entry)
    exists = hasattr(owner, entry.last) or entry.last in inspect.get_annotations(owner)
    assert exists or find_spec(entry.name), f"{entry.name} does not exist: {MEND}"
    real = parameters(entry)
    names, defaults = written_arguments(entry)
    if entry.name.startswith(PACKAGE.name):
        strange = [name for name in names if name not in real]
        assert not strange, f"{entry.name} has no argument {strange}: {MEND}"
    for name, value in defaults.items() if real else ():
        same = name in real and real[name].default == value
        assert same, f"{entry.name} has no argument {name}={value}: {MEND}"


def surroundings():
    """What the examples may use: what the page says at its top, and this book's own functions."""
    names = {
        entry.last: resolve_name(entry.name) for entry in ENTRIES if PACKAGE.name in entry.name
    }
    exec("import datetime, inspect, math, re, unicodedata, torch", names)
    exec("from torch import nn\nfrom torch.nn import functional as F", names)
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], names)
    return names


def test_every_example_gives_what_the_page_says():
    names = surroundings()
    for call, written in EXAMPLES:
        given = repr(eval(call, names))
        assert given == written, f"{call} gives {given}: {MEND}"


def sections(path):
    """Each heading of a notebook with all text, code and output up to the next; "" has all."""
    found, title = {"": ""}, None
    for cell in nbformat.read(path, as_version=4).cells:
        for line in [*cell.source.splitlines(), *map(printed, cell.get("outputs", []))]:
            if cell.cell_type == "markdown" and line.startswith("#"):
                title = line.lstrip("# ")
            found[title] = found.get(title, "") + f"{line}\n"
            found[""] += f"{line}\n"
    return found


def printed(output):
    """The text of an output, a layer's source for one."""
    return output.get("text") or output.get("data", {}).get("text/markdown", "")


def test_every_link_leads_to_a_section_that_speaks_of_the_function():
    chapters = {path.stem: sections(path) for path in CHAPTERS}
    for entry in ENTRIES:
        links = LINK.findall(entry.text)
        assert len(links) == 1, f"{entry.name} needs one link to a chapter: {MEND}"
        [(number, title, chapter)] = links
        if chapter not in chapters or entry.name in EXPLAINED_HERE:  # left out, or shown nowhere
            continue
        written = re.match(r"\d*", chapter)[0]
        assert int(number or 0) == int(written or 0), f"{entry.name} names another chapter: {MEND}"
        text = chapters[chapter].get(title, "")
        speaks = re.search(rf"\b{entry.last}\b", text)
        assert speaks, f"{chapter}.ipynb, {title or 'the chapter'} has no {entry.name}: {MEND}"
