"""The first cell of a chapter: silent in a clone, complete in a download, plain when it fails."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
import venv
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from book_pages import downloads
from tests.support.notebook_guard import PACKAGE, ROOT
from tools.notebooks import SET_UP

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
IN_CLONE = SET_UP.read_text(encoding="utf-8")
IN_DOWNLOAD = downloads.setup_cell(with_weights=True)
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
    assert downloads.WEIGHTS in IN_DOWNLOAD
    assert "NUMBERS = {}" in downloads.setup_cell(with_weights=False)


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
    assert (written / downloads.WEIGHTS).read_bytes() == (PACKAGE / downloads.WEIGHTS).read_bytes()
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


@pytest.mark.parametrize("drive", [False, True])
def test_clone_says_what_to_do_where_it_cannot_find_itself(not_installed, pip, drive, monkeypatch):
    if drive:
        answer_as_colab(monkeypatch, "/fileId=1AbC-dEf")
    with pytest.raises(ModuleNotFoundError, match=r"^Download this chapter .* `make setup` "):
        exec(IN_CLONE, {})
    assert pip == []


def answer_as_colab(monkeypatch, opened):
    """A server that says, as Colab's does, which file is open."""

    class Sessions(BaseHTTPRequestHandler):
        def do_GET(self):
            assert self.path == "/api/sessions"
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps([{"path": opened, "type": "notebook"}]).encode())

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Sessions)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("COLAB_JUPYTER_IP", "127.0.0.1")
    monkeypatch.setenv("KMP_TARGET_PORT", str(server.server_port))


@pytest.fixture
def repository(tmp_path):
    """A repository with the package in it, and the commit it is at."""
    folder = tmp_path / "repository"
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "src" / "follow_the_tensor", folder / "src" / "follow_the_tensor")
    git = ["git", "-C", folder, "-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for command in (["init", "--quiet"], ["add", "-A"], ["commit", "--quiet", "-m", "Copy"]):
        subprocess.run([*git, *command], check=True)
    commit = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    return folder, commit.stdout.strip()


def test_in_colab_the_package_comes_from_the_commit_that_is_open(repository, tmp_path, monkeypatch):
    folder, commit = repository
    address = f"https://github.com/owner/name/blob/{commit}/notebooks/04_masks.ipynb"
    answer_as_colab(monkeypatch, "/fileId=" + address.replace(":", "%3A"))
    # git finds the sample repository in place of GitHub's.
    rewritten = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{folder.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/owner/name",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    host = tmp_path / "host"  # a Python that has nothing yet
    venv.create(host, with_pip=True)
    subprocess.run([host / "bin/python", "-c", IN_CLONE], env=os.environ | rewritten, check=True)
    (site,) = host.glob("lib/python*/site-packages")
    installed = site / "follow_the_tensor"
    assert (installed / "attention.py").read_bytes() == (PACKAGE / "attention.py").read_bytes()
    names = {path.name.split("-")[0] for path in site.glob("*.dist-info")}
    small = {"anywidget", "babel", "psygnal", "safetensors", "tqdm"}
    assert names - {"pip", "setuptools"} == {"follow_the_tensor", *small}  # and no PyTorch
