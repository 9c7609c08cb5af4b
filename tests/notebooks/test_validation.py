"""What the command that validates the notebooks compares, shown by outputs changed on purpose."""

import re
import subprocess
import sys

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tests.support.notebook_guard import ROOT

TABLE = "<table><tr><td>{}</td></tr></table>"
PICTURE = "iVBORw0KGgo="


def stream(text, name="stdout"):
    return new_output("stream", text=text, name=name)


def shown(kind, data):
    return new_output("display_data", data={kind: data})


SHOW = "from IPython.display import display\ndisplay({{{!r}: {!r}}}, raw=True)".format
# A cell, what it puts out, that changed, and whether it is compared.
CASES = {
    "a text": ("print(-3.5)", stream("-3.5\n"), stream("3.5\n"), True),
    "a line of a text": ("print('a')\nprint(2)", stream("a\n2\n"), stream("a\n"), True),
    "stdout": ("print(1)", stream("1\n"), stream("1\n", "stderr"), True),
    "a number in a table": (
        SHOW("text/html", TABLE.format(0.25)),
        shown("text/html", TABLE.format(0.25)),
        shown("text/html", TABLE.format(0.26)),
        True,
    ),
    # Pixels differ from machine to machine: a cell asserts or prints what a picture shows.
    "a picture": (
        SHOW("image/png", PICTURE),
        shown("image/png", PICTURE),
        shown("image/png", PICTURE[::-1]),
        False,
    ),
}


def options():
    """The options of nbval that the Makefile uses, which must be the same wherever it runs."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    runs = [set(re.findall(r"--nbval\S*", line)) for line in makefile.splitlines()]
    (used,) = {frozenset(run) for run in runs if run}
    return sorted(used)


def test_validation_sees_every_change_but_that_of_a_picture(tmp_path):
    for name, place in (("as_run", 1), ("changed", 2)):
        cells = [
            new_code_cell(case[0], execution_count=1, outputs=[case[place]])
            for case in CASES.values()
        ]
        nbformat.write(new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    command = [sys.executable, "-m", "pytest", *options(), "-p", "no:cacheprovider", "-q", "-rf"]
    done = subprocess.run([*command, tmp_path], cwd=tmp_path, capture_output=True, text=True)
    red = re.findall(r"^FAILED (\w+)\.ipynb::Cell (\d+)", done.stdout, re.MULTILINE)
    compared = [str(n) for n, case in enumerate(CASES.values()) if case[3]]
    assert red == [("changed", n) for n in compared], done.stdout + done.stderr
