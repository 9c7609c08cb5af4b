"""Let another environment use the PyTorch of this one.

    python tools/lend_torch.py .venv/colab

PyTorch is large, and pip may choose another build than the one that is here. So the other
environment gets links to it and to what it needs, except where it has the package itself.
"""

import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement


def needed_by(name, found):
    """The distributions that `name` needs, itself included, added to `found`."""
    if name not in found:
        found[name] = distribution(name)
        for text in found[name].requires or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                needed_by(requirement.name, found)
    return found


def lend(site):
    for package in needed_by("torch", {}).values():
        for part in {file.parts[0] for file in package.files} - {"..", "__pycache__"}:
            if not (site / part).exists():
                (site / part).symlink_to(package.locate_file(part))


if __name__ == "__main__":
    (site,) = Path(sys.argv[1]).glob("lib/python*/site-packages")
    lend(site)
