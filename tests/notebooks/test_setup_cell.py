"""The first cell of a chapter: silent in a clone, complete in a download, plain when it fails."""

import importlib
import json
import shutil
import subprocess
import sys

import pytest

from book_pages import downloads
from tests.support.notebook_guard import PACKAGE, ROOT
from tools.notebooks import SET_UP

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
IN_CLONE = SET_UP.read_text(encoding="utf-8")
IN_DOWNLOAD = downloads.setup_cell(" ".join(downloads.WEIGHTS.values()))
BOTH = pytest.mark.parametrize("cell", [IN_CLONE, IN_DOWNLOAD], ids=["clone", "download"])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_chapter_begins_with_the_one_set_up_cell(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    first = next(cell for cell in cells if cell["cell_type"] == "code")
    assert "".join(first["source"]) == IN_CLONE.strip()
    assert first["outputs"] == []


def test_the_copy_holds_every_file_of_the_package_letter_by_letter():
    names = {}
    # Only the two dictionaries: the rest of the cell would write files.
    exec(IN_DOWNLOAD.partition("\nif find_spec")[0], names)
    read = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.*")}
    texts = {name for name, path in read.items() if path.suffix in downloads.TEXT}
    assert names["FILES"].keys() == texts
    for name in texts:
        assert names["FILES"][name] == read[name].read_text(encoding="utf-8")


def test_weights_are_carried_only_where_they_are_used():
    files = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.safetensors")}
    assert files == downloads.WEIGHTS.keys(), "say in downloads.py which chapters need them"
    assert all(name in IN_DOWNLOAD for name in files)
    assert "NUMBERS = {}" in downloads.setup_cell("no weights")


@BOTH
def test_where_the_package_is_installed_nothing_happens(cell, monkeypatch):
    for call in ("Popen", "run"):
        monkeypatch.setattr(subprocess, call, None)
    path, modules = list(sys.path), set(sys.modules)
    exec(cell, {})
    assert sys.path == path
    assert set(sys.modules) == modules


@pytest.fixture
def not_installed(monkeypatch):
    """Python as it is before the package is there."""
    find = importlib.util.find_spec
    absent = {"follow_the_tensor"}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in absent else find(name)
    )
    monkeypatch.setattr(sys, "path", list(sys.path))
    return absent


@pytest.fixture
def pip(monkeypatch):
    """The commands that the cell runs; they do nothing."""
    commands = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: commands.append(command))
    return commands


def test_download_writes_the_package_and_installs_nothing_that_is_there(not_installed, pip):
    exec(IN_DOWNLOAD, {})
    assert pip == []
    written = downloads.Path(sys.path[0]) / "follow_the_tensor"
    assert (written / "attention.py").read_bytes() == (PACKAGE / "attention.py").read_bytes()
    for name in downloads.WEIGHTS:
        assert (written / name).read_bytes() == (PACKAGE / name).read_bytes()
    shutil.rmtree(written.parent)


def test_download_installs_a_missing_package_and_none_of_what_that_needs(not_installed, pip):
    not_installed.add("anywidget")
    exec(IN_DOWNLOAD, {})
    (command,) = pip
    assert command[1:] == ["-m", "pip", "install", "--quiet", "--no-deps", "anywidget"]


def test_download_says_what_to_do_without_pytorch(not_installed, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ModuleNotFoundError, match=r"^Run `%pip install torch .*` in a new cell"):
        exec(IN_DOWNLOAD, {})


def test_clone_says_what_to_do(not_installed, pip):
    with pytest.raises(ModuleNotFoundError, match=r"^Download this chapter .* `make setup` "):
        exec(IN_CLONE, {})
    assert pip == []
