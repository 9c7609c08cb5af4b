"""Print a notebook as text for git diff: cells and what they print, without counts and pictures."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
for cell in cells:
    print(f"# {cell['cell_type']} {cell.get('id', '')}", "".join(cell["source"]), sep="\n")
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        print("".join(output.get("text") or data.get("text/html") or data.get("text/plain", "")))
