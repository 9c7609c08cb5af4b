"""The function index names what the code uses, explains it truly, and leads to the right place."""

import ast
import builtins
import datetime
import inspect
import re
from importlib import import_module
from pkgutil import resolve_name

import nbformat
import torch
from torch import nn

import follow_the_tensor
from tests.support.function_index import ENTRIES, EXAMPLES, INDEX, LINK, PAGE
from tests.support.names_in_code import PACKAGE, module_tree, names_in, notebook_tree, notebooks
from tests.support.notebook_guard import ROOT

SOURCE = ROOT / "src" / PACKAGE

# No chapter reads these: they record calls, draw, run a command, or serve several processes.
PLUMBING = {"recording", "drawing", "explorables"}
PLUMBING |= {"reader.py", "parallel.py", "__main__.py"}
# The checks of shapes.py ask about modes that no chapter uses.
NOT_READ = {
    "torch.SymInt",  # torch.export
    "torch.amp.is_autocast_available",
    "torch.compiler.is_compiling",  # torch.compile
    "torch.is_autocast_enabled",
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
EXPLAINED_HERE = {
    "torch.nn.TransformerDecoder": "in the twin of the whole model, whose source no chapter shows",
}


MODULES = {path: module_tree(path) for path in SOURCE.rglob("*.py")}
CELLS = [notebook_tree(path) for path in notebooks()]
USED = names_in(*MODULES.values(), *CELLS)
READ = names_in(
    *(tree for at, tree in MODULES.items() if not PLUMBING & {*at.relative_to(SOURCE).parts}),
    *CELLS,
)


def is_module(name):
    return inspect.ismodule(resolve_name(name))


def test_each_entry_stands_once():
    assert len(INDEX) == len(ENTRIES) == PAGE.count("\n:::{py:") - PAGE.count(":::{py:currentm")


def test_every_name_of_torch_and_ipywidgets_is_in_the_index():
    used = {name for name in READ.dotted if name.startswith(("torch.", "ipywidgets."))}
    used = {name for name in used if not is_module(name)}
    assert used - INDEX == NOT_READ


def test_every_method_and_attribute_of_tensors_and_modules_is_in_the_index():
    known = {*dir(torch.Tensor), *dir(nn.Module), "training"} - {*dir(object)}
    used = {name for name in READ.attributes & known if not name.startswith("_")}
    indexed = {entry.last for entry in ENTRIES}
    assert used - indexed == NOT_TORCH.keys()


def test_every_name_of_the_package_that_a_chapter_uses_is_in_the_index():
    used = {name for name in names_in(*CELLS).dotted if name.startswith(f"{PACKAGE}.")}
    used |= {f"{PACKAGE}.{name}" for name in follow_the_tensor.__all__}
    covered = {name for name in used for entry in INDEX if f"{name}.".startswith(f"{entry}.")}
    modules = {name for name in used if is_module(name)}
    assert used - covered - modules == set()


def owner_of(entry):
    name = entry.name.rpartition(".")[0]
    return getattr(builtins, name, None) or resolve_name(name or "builtins")


def test_every_entry_exists():
    owners = [(entry, owner_of(entry)) for entry in ENTRIES]
    assert [
        entry.name
        for entry, owner in owners
        if not hasattr(owner, entry.last) and entry.last not in inspect.get_annotations(owner)
    ] == []


def is_used(entry):
    if inspect.isclass(owner_of(entry)) and entry.last in USED.attributes:
        return True
    if "." not in entry.name:
        return entry.name in USED.plain
    return any(f"{used}.".startswith(f"{entry.name}.") for used in USED.dotted)


def test_every_entry_is_used():
    assert [entry.name for entry in ENTRIES if not is_used(entry)] == []


def signature(entry):
    """The true parameters of an entry by name, or nothing where Python cannot tell."""
    try:
        return inspect.signature(getattr(owner_of(entry), entry.last)).parameters
    except (AttributeError, TypeError, ValueError):
        return {}


def written_arguments(entry):
    """Names of all arguments on the page, and those with a default."""
    tree = ast.parse(f"def f({entry.arguments}): pass")
    args = tree.body[0].args
    names = [argument.arg for argument in (*args.posonlyargs, *args.args)]
    values = map(ast.literal_eval, args.defaults)
    return names, dict(zip(names[len(names) - len(args.defaults) :], values, strict=True))


def test_arguments_are_those_of_the_function():
    """Optional ones of PyTorch, with their defaults; of this book's own functions, all."""
    wrong = []
    for entry in ENTRIES:
        real = signature(entry)
        names, defaults = written_arguments(entry)
        if entry.name.startswith(PACKAGE):
            wrong += [f"{entry.name}: {name}" for name in names if name not in real]
        for name, value in defaults.items():
            if real and (name not in real or real[name].default != value):
                wrong.append(f"{entry.name}: {name}={value}")
    assert wrong == []


def test_every_example_gives_what_the_page_says():
    assert len(EXAMPLES) > 150
    ours = {entry.last: resolve_name(entry.name) for entry in ENTRIES if PACKAGE in entry.name}
    modules = {name: import_module(name) for name in ("math", "inspect", "re", "unicodedata")}
    names = ours | modules | {"torch": torch, "nn": nn, "F": nn.functional, "datetime": datetime}
    exec(re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1], names)
    given = {call: repr(eval(call, names)) for call, _ in EXAMPLES}
    assert given == dict(EXAMPLES)


def sections(path):
    """Each heading of a notebook with all text, code and output up to the next."""
    found, title = {}, None
    for cell in nbformat.read(path, as_version=4).cells:
        for line in [*cell.source.splitlines(), *map(printed, cell.get("outputs", []))]:
            if cell.cell_type == "markdown" and line.startswith("#"):
                title = line.lstrip("# ")
                found[title] = []
            found[title].append(line)
    return {title: "\n".join(lines) for title, lines in found.items()}


def printed(output):
    """The text of an output, a layer's source for one."""
    return output.get("text") or output.get("data", {}).get("text/markdown", "")


def test_every_link_leads_to_a_section_that_speaks_of_the_function():
    chapters = {path.stem: sections(path) for path in notebooks()}
    silent = []
    for entry in ENTRIES:
        [(number, title, chapter)] = LINK.findall(entry.text)
        assert int(number) == int(chapter[:2])
        text = chapters[chapter][title] if title else "\n".join(chapters[chapter].values())
        if not re.search(rf"\b{entry.last}\b", text):
            silent.append(entry.name)
    assert set(silent) == set(EXPLAINED_HERE)
