"""The numbers on pages that can change, read where they are decided.

Pages write `{{ languages }}`, `{{ python }}` and `{{ torch }}`: how many languages the date reader
knows, and the lowest releases that the package takes.
"""

import re
import tomllib

from .repository import ROOT

TASK = ROOT / "src" / "follow_the_tensor" / "dates" / "task.py"


def setup(app):
    app.connect("config-inited", add)


def add(app, config):
    config.myst_substitutions = config.myst_substitutions | numbers()


def numbers():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (torch,) = (line for line in project["dependencies"] if line.startswith("torch>="))
    # Read and not imported: the build needs no PyTorch.
    known = re.search(r'^LANGUAGES = tuple\("(.+)"', TASK.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        "languages": str(len(known[1].split())),
        "python": project["requires-python"].removeprefix(">="),
        "torch": torch.removeprefix("torch>="),
    }
