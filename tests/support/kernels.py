"""Kernels that do not have the package: one with the book's other packages, one with Colab's.

`make downloads` makes the environment of the second one.
"""

import json
import sys

from tests.support.notebook_guard import PACKAGE, ROOT

NEWEST = sys.executable
COLAB = str(ROOT / ".venv" / "colab" / "bin" / "python")
# The package is installed as a link to its folder; without the folder's path it is not there.
LAUNCH = f"""
import sys
sys.path.remove({str(PACKAGE.parent)!r})
from ipykernel.kernelapp import launch_new_instance
launch_new_instance()
"""


def kernel_folder(folder):
    """A folder for JUPYTER_PATH in which the kernels are called newest and colab."""
    commands = {
        "newest": [NEWEST, "-c", LAUNCH],
        "colab": [COLAB, "-m", "ipykernel_launcher"],
    }
    for name, command in commands.items():
        spec = {"argv": [*command, "-f", "{connection_file}"], "display_name": name}
        path = folder / "kernels" / name
        path.mkdir(parents=True)
        (path / "kernel.json").write_text(json.dumps(spec | {"language": "python"}))
    return folder
