"""A copy of this book as others have it: other names, a chapter less, one more, a host or none."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import yaml

from tests.support.notebook_guard import ROOT
from tools.notebooks import read

OWN = "notebooks/99_our_course"
NAMES = {"title": "Tensors for the second year", "author": "A. Teacher and B. Colleague"}
NOT_COPIED = (".git", ".venv", "_build", "__pycache__", ".*_cache", ".hypothesis")


def fork(folder, remote):
    """A copy of the tree in `folder`, under git with `remote` as its origin; without, no git."""
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*NOT_COPIED), dirs_exist_ok=True)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    rename(folder / "_config.yml")
    exchange_a_chapter(folder)
    run(folder, "python", "-m", "tools.names")
    if remote:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        for command in (["init"], ["add", "-A"], [*who, "commit", "-m", "Ours"]):
            subprocess.run(["git", "-C", folder, *command], check=True, capture_output=True)
        subprocess.run(["git", "-C", folder, "remote", "add", "origin", remote], check=True)


def rename(config):
    settings = yaml.safe_load(config.read_text(encoding="utf-8")) | NAMES
    config.write_text(yaml.safe_dump(settings), encoding="utf-8")


def exchange_a_chapter(folder):
    """Put OWN in place of a chapter, the last of the last part that has two."""
    toc = yaml.safe_load((folder / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part["chapters"] for part in toc["parts"]]
    chapters = next(p for p in reversed(parts) if sum("notebooks/" in c["file"] for c in p) > 1)
    chapters[-1] = {"file": OWN}
    (folder / "_toc.yml").write_text(yaml.safe_dump(toc), encoding="utf-8")
    text = "# Our course\n\n**The question.** What do we add to [chapter 3](03_attention.ipynb)?"
    output = nbformat.v4.new_output("stream", text="2\n")
    code = nbformat.v4.new_code_cell("print(1 + 1)", execution_count=2, outputs=[output])
    cells = [nbformat.v4.new_markdown_cell(text), code]
    path = folder / f"{OWN}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    notebook = read(path)
    notebook.cells[1].execution_count = 1  # the set-up cell
    nbformat.write(notebook, path)


def run(folder, program, *arguments):
    """Run a program of the environment in a fork, and show what it says if it fails."""
    command = [Path(sys.executable).with_name(program), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"in the fork {folder}:\n{(done.stdout + done.stderr)[-6000:]}"
    return done.stdout
