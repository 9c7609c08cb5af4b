# Makes the package follow_the_tensor importable. In a clone it is already: nothing happens.
from importlib.util import find_spec

if find_spec("follow_the_tensor") is None:
    import os
    import re
    import subprocess
    import sys
    from importlib import invalidate_caches
    from urllib.parse import unquote
    from urllib.request import urlopen

    needed = ["anywidget", "babel", "psygnal", "safetensors", "tqdm"]
    missing = [name for name in needed if find_spec(name) is None]
    try:  # Colab tells which file it has open; the package is in the same commit.
        sessions = "http://{COLAB_JUPYTER_IP}:{KMP_TARGET_PORT}/api/sessions".format(**os.environ)
        opened = unquote(unquote(urlopen(sessions, timeout=10).read().decode()))
        address = re.search(r"(https://github\.com/[\w.-]+/[\w.-]+)/blob/([\w.-]+)/", opened)
        package = "git+{}@{}".format(*address.groups())
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]  # replaces nothing
        subprocess.run([*pip, *missing, package], check=True)
        invalidate_caches()
    except Exception:
        raise ModuleNotFoundError(
            "Download this chapter from its page in the book and open that copy, which brings"
            " the package along, or in a clone of the book run `make setup` and choose the kernel"
            " in .venv."
        ) from None
