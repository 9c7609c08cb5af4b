"""Validation sees every stored number, and tools/mutations.py sees when it does not."""

import re
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.support.notebook_guard import ROOT
from tools import mutants, mutations


def run(*arguments):
    command = [sys.executable, "-m", "tools.mutations", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def printed(source, text):
    return new_code_cell(source, execution_count=1, outputs=[new_output("stream", text=text)])


@pytest.fixture
def blind(tmp_path):
    """A notebook of two cells; nbval is told not to look at the first."""
    cells = printed("# NBVAL_IGNORE_OUTPUT\nprint(12)", "12\n"), printed("print(-3.5)", "-3.5\n")
    path = tmp_path / "blind.ipynb"
    nbformat.write(new_notebook(cells=[*cells]), path)
    return path


def test_no_stored_number_can_change_unseen():
    done = run("--stored")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_number_that_is_not_compared_is_seen(blind):
    done = run("--stored", str(blind))
    first, second = (cell.id for cell in nbformat.read(blind, as_version=4).cells)
    assert done.returncode == 1
    assert f"blind, cell {first}, text: '[12]\\n'" in done.stdout
    assert second not in done.stdout


def test_the_command_itself_misses_the_same_number(blind):
    assert mutations.really_fail([blind]) == ["blind.ipynb: Cell 0 is changed and passes"]


def test_the_settings_are_those_of_make_test():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    runs = [line for line in makefile.splitlines() if "--nbval" in line]
    assert runs
    for line in runs:
        assert set(re.findall(r"--nbval\S*", line)) == set(mutations.SETTINGS[:2])


@pytest.mark.parametrize(
    ("number", "changed"),
    [
        ("7", ["8"]),
        ("19", ["29", "10"]),
        ("-0.5", ["0.5", "-1.5", "-0.6"]),
        ("²", ["³"]),
        ("True", ["False"]),
        ("-inf", ["inf"]),
    ],
)
def test_changes(number, changed):
    (found,) = mutants.NUMBER.findall(number)
    assert mutants.changes(found) == changed


def test_each_picture_has_a_cell_that_checks_it():
    for chapter, pictures in mutations.unchecked()["pictures"].items():
        path = ROOT / "notebooks" / f"{chapter}.ipynb"
        cells = {cell.id: cell for cell in nbformat.read(path, as_version=4).cells}
        for picture, check in pictures.items():
            assert any("image/png" in out.get("data", {}) for out in cells[picture].outputs)
            assert "assert" in cells[check].source or cells[check].outputs[0].name == "stdout"
