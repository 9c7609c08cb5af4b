# This copy of the chapter brings the package follow_the_tensor along: the text of each of its
# files stands in this cell. Where the package is installed already, nothing happens.
from importlib.util import find_spec

FILES = {}
NUMBERS = {}  # trained weights: numbers as base64, in a format that cannot hold code

if find_spec("follow_the_tensor") is None:
    import subprocess
    import sys
    import tempfile
    from base64 import b64decode
    from importlib import import_module, invalidate_caches
    from pathlib import Path

    hosts_have = ["torch", "matplotlib", "ipywidgets"]
    may_lack = ["anywidget", "babel", "psygnal", "safetensors", "tqdm"]
    try:
        for name in hosts_have:
            import_module(name)
        if missing := [name for name in may_lack if find_spec(name) is None]:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            subprocess.run([*pip, *missing], check=True)  # without --upgrade it replaces nothing
        folder = Path(tempfile.mkdtemp())
        contents = {name: text.encode() for name, text in FILES.items()}
        contents |= {name: b64decode(text) for name, text in NUMBERS.items()}
        for name, content in contents.items():
            path = folder / "follow_the_tensor" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        sys.path.insert(0, str(folder))
        invalidate_caches()
    except Exception as error:
        raise ModuleNotFoundError(
            f"Run `%pip install {' '.join(hosts_have + may_lack)}` in a new cell,"
            f" then this cell again ({error})."
        ) from None
