"""Nothing that a reader runs makes code of a text, and weights load without pickle."""

import ast
import json
import pickle
import re

import pytest
import torch

from follow_the_tensor import load_date_reader
from tests.support.helpers import refuses
from tests.support.notebook_guard import ROOT

FOLDERS = ("src", "book", "notebooks")  # what a reader runs
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
PROGRAMS = [path for path in FILES if path.suffix in (".py", ".ipynb")]

# What makes code or HTML of a text, and an example of each.
CODE_FROM_TEXT = {
    r"\beval\s*\(": "eval('1')",
    r"\bFunction\s*\(": "new Function('1')",
    r"\.(?:inner|outer)HTML\b": "element.innerHTML = text",
    r"\binsertAdjacentHTML\b": "element.insertAdjacentHTML('beforeend', text)",
    r"\bdocument\.write": "document.write(text)",
    r"\bcreateContextualFragment\b|\bDOMParser\b": "new DOMParser()",
    r"\bset(?:Timeout|Interval)\s*\(\s*[\"'`]": "setTimeout('run()', 1)",
    r"\bsrcdoc\b|javascript:": "frame.srcdoc = text",
    r"\bimport\s*\(": "import(address)",
}


def code_from_text(script):
    return [pattern for pattern in CODE_FROM_TEXT if re.search(pattern, script)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_javascript_makes_no_code_of_text(script):
    assert not code_from_text(script.read_text(encoding="utf-8"))


@pytest.mark.parametrize("pattern", CODE_FROM_TEXT)
def test_the_patterns_see(pattern):
    assert code_from_text(CODE_FROM_TEXT[pattern]) == [pattern]


# A pickle may run any program when it is loaded; so may these.
UNSAFE_MODULES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
UNSAFE_CALLS = {"eval", "exec", "__import__"}  # compile alone runs nothing


def unsafe(source):
    """What in a Python program would run code that comes from a text or a file."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [a.name for a in node.names if a.name.split(".")[0] in UNSAFE_MODULES]
        elif (
            isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in UNSAFE_MODULES
        ):
            found.append(node.module)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            options = {keyword.arg: ast.unparse(keyword.value) for keyword in node.keywords}
            if name in UNSAFE_CALLS:
                found.append(name)
            elif name == "torch.load" and options.get("weights_only") != "True":
                found.append("torch.load without weights_only=True")
            elif options.get("allow_pickle") == "True":
                found.append(f"{name} with allow_pickle=True")
    return found


def code_of(path):
    """The Python of a file; of a notebook, its code cells without their magic commands."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    cells = (c["source"] for c in json.loads(text)["cells"] if c["cell_type"] == "code")
    return re.sub(r"^[%!].*$", "", "\n".join("".join(cell) for cell in cells), flags=re.MULTILINE)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_nothing_is_loaded_with_pickle_or_run_from_text(path):
    assert not unsafe(code_of(path))


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "import torch.nn, dill.session",
        "torch.load(path)",
        "torch.load(path, weights_only=False)",
        "numpy.load(path, allow_pickle=True)",
        "eval(text)",
    ],
)
def test_unsafe_loading_is_seen(source):
    assert len(unsafe(source)) == 1


def test_a_pickle_is_no_date_reader(tmp_path, capsys):
    """test_checkpoint.py has the same for a checkpoint, which is a file of torch.save."""

    class Evil:
        def __reduce__(self):
            return print, ("executed",)

    for save in (torch.save, lambda thing, path: path.write_bytes(pickle.dumps(thing))):
        save(Evil(), tmp_path / "evil.safetensors")
        with refuses(ValueError, "evil.safetensors"):
            load_date_reader(tmp_path / "evil.safetensors")
    assert capsys.readouterr().out == ""
