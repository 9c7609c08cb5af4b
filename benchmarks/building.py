"""How long the book builds, from nothing and again after a change."""

import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .table import Row, seconds

TITLE = "Building the book"
ROOT = Path(__file__).resolve().parent.parent
CHANGED = ROOT / "notebooks" / "04_masks.ipynb"
ROUNDS = 3


def build(folder):
    command = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT]
    options = ["-W", "-n", "--keep-going", "--quiet", "--path-output", folder]
    subprocess.run([*command, *options], check=True, stdout=subprocess.DEVNULL)


def cold_and_warm():
    with tempfile.TemporaryDirectory() as folder:
        cold = seconds(lambda: build(folder))
        CHANGED.touch()  # Sphinx goes by the time of a file
        return cold, seconds(lambda: build(folder))


def rows():
    cold, warm = map(statistics.median, zip(*(cold_and_warm() for _ in range(ROUNDS)), strict=True))
    how = f"{ROUNDS} rounds in turns"
    yield Row("from nothing", cold, "s", f"{how}, no page and no cache there")
    yield Row("after a change in one chapter", warm, "s", how, "from nothing", cold)
