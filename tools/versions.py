"""Note in tests/versions.csv what is installed here.

    python tools/versions.py "PYTHON=python3.12 RESOLUTION=highest"

`make versions` ends with this when everything has passed.
"""

import csv
import platform
import sys
from importlib.metadata import version
from pathlib import Path

RECORD = Path(__file__).resolve().parent.parent / "tests" / "project" / "versions.csv"
PACKAGES = (
    "torch numpy matplotlib ipywidgets anywidget traitlets ipython ipykernel babel safetensors tqdm"
).split()


def read():
    """The rows of the record: combination -> {"python": version, package: version, ...}."""
    with open(RECORD, encoding="utf-8", newline="") as file:
        return {row.pop("combination"): row for row in csv.DictReader(file)}


def note(combination):
    rows = read() if RECORD.exists() else {}
    # "2.13.0+cpu" is a build of 2.13.0.
    here = {package: version(package).split("+")[0] for package in PACKAGES}
    rows[combination] = {"python": platform.python_version(), **here}
    with open(RECORD, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["combination", "python", *PACKAGES])
        writer.writerows([name, *row.values()] for name, row in sorted(rows.items()))


if __name__ == "__main__":
    note(sys.argv[1])
