"""Begin a chapter from the template tools/chapter.ipynb, and add it to the reading order.

python -m tools.chapter 18_my_chapter
"""

import re
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = Path(__file__).with_name("chapter.ipynb")


def add_to_contents(contents, name):
    """The text of _toc.yml with the chapter at the end of the last part that has only chapters."""
    parts = [
        [page["file"] for page in part["chapters"]] for part in yaml.safe_load(contents)["parts"]
    ]
    pure = [part for part in parts if all(file.startswith("notebooks/") for file in part)]
    last = f"- file: {pure[-1][-1]}\n"
    return contents.replace(last, f"{last}      - file: notebooks/{name}\n")


def main(name):
    path, contents = ROOT / "notebooks" / f"{name}.ipynb", ROOT / "_toc.yml"
    if not re.fullmatch(r"\d\d_[a-z0-9_]+", name):
        return f"NAME={name}: expected two digits and words, such as NAME=18_my_chapter"
    number, title = name.split("_", 1)
    for other in path.parent.glob(f"{number}_*.ipynb"):
        return f"NAME={name}: {other.name} has this number already; take one that is free"
    heading = f"# {int(number)} · {title.replace('_', ' ').capitalize()}"
    text = TEMPLATE.read_text(encoding="utf-8").replace("# N · Title", heading)
    path.write_text(text, encoding="utf-8")
    added = add_to_contents(contents.read_text(encoding="utf-8"), name)
    contents.write_text(added, encoding="utf-8")
    print(f"Wrote notebooks/{name}.ipynb and its line in _toc.yml.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else ""))
