"""Build the book, and where that fails, say only why: Jupyter Book adds its own tracebacks."""

import re
import subprocess
import sys
from pathlib import Path

BOOK = Path(sys.executable).with_name("jupyter-book")
NOTEBOOK_LINE = re.compile(r"(?<=\.ipynb):(\d+)(\d{4})(?=: )")  # as MyST-NB counts: 30007
REMEDIES = {
    "target not found": "correct the link",
    "nonexisting document": "correct its line in _toc.yml",
}
COLOUR = re.compile(r"\x1b\[[\d;]*m")
REASON = re.compile(r"WARNING: |ERROR: |CRITICAL: |^(?!RuntimeError)[\w.]*(Error|Exception): ")


def reasons(output):
    """The lines of the output that say what is wrong, each once, with the cell of a notebook."""
    lines = dict.fromkeys(COLOUR.sub("", output).splitlines())
    found = [line for line in lines if REASON.search(line)]
    # An error inside an extension is told again by each that caught it.
    found = [line for line in found if "threw an exception" not in line] or found
    return [NOTEBOOK_LINE.sub(place, line) + remedy(line) for line in found]


def place(hit):
    return f", cell {int(hit[1]) - 1}, line {int(hit[2]) - 1}"


def remedy(line):
    return "".join(f"; {what}" for words, what in REMEDIES.items() if words in line)


def main():
    command = [BOOK, "build", ".", "-W", "-n", "--keep-going", "--quiet"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        print("\n".join(reasons(run.stdout)) or run.stdout, file=sys.stderr)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
