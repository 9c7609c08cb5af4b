"""Write the names that _config.yml gives the book where other tools look for them.

`make book` runs this. The names stand in the heading of README.md, in pyproject.toml and in
CITATION.cff, where an adapted book also cites the one that it was made from.
"""

import json
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
ORIGINAL = """\
  - type: book
    title: Follow the Tensor
    authors:
      - name: {}
    notes: The book that this one is adapted from.
"""


def named():
    """Each file that repeats a name, with its text as it should be."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    title, author = config["title"], json.dumps(config["author"], ensure_ascii=False)
    lines = {
        "README.md": [(r"\A# .*", f"# {title}")],
        "pyproject.toml": [(r"^authors = .*", f"authors = [{{ name = {author} }}]")],
        "CITATION.cff": [
            (r"^title: .*", f"title: {json.dumps(title, ensure_ascii=False)}"),
            (r"^authors:\n.*", f"authors:\n  - name: {author}"),
        ],
    }
    texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in lines}
    for file, pairs in lines.items():
        for pattern, line in pairs:
            texts[file] = re.sub(f"(?m){pattern}", lambda _, line=line: line, texts[file], count=1)
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    holder = re.search(r"^Copyright \(c\) \d+, (.+)$", licence, re.MULTILINE)[1]
    if holder not in texts["CITATION.cff"]:
        texts["CITATION.cff"] += ORIGINAL.format(holder)
    return texts


def main():
    for file, text in named().items():
        if text != (ROOT / file).read_text(encoding="utf-8"):
            (ROOT / file).write_text(text, encoding="utf-8")
            print(f"{file} has the names of _config.yml now. Commit it.")


if __name__ == "__main__":
    main()
