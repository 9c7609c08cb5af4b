"""Execute the notebooks and store them so that two runs give the same bytes.

    python -m tools.notebooks [notebooks/03_attention.ipynb ...]

Without arguments every chapter is executed, two at a time.
"""

import hashlib
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = ("tags", "mystnb")
SET_UP = ROOT / "book" / "_ext" / "book_pages" / "setup_cells" / "clone.py"
VIEW = "application/vnd.jupyter.widget-view+json"


def name_cells(cells, stem):
    """Give cells without an id one that depends only on the notebook and the cell's text."""
    taken = {cell["id"] for cell in cells if "id" in cell}
    for cell in cells:
        salt = 0
        while "id" not in cell:
            text = f"{stem}:{salt}:{''.join(cell['source'])}"
            name = hashlib.sha256(text.encode()).hexdigest()[:8]
            if name not in taken:
                cell["id"] = name
                taken.add(name)
            salt += 1


def set_up(cells):
    """The cells with the one set-up cell, whose text is kept in one file, before other code."""
    chapter = [cell for cell in cells if cell.get("id") != "set-up"]
    first = next(n for n, cell in enumerate(chapter) if cell["cell_type"] == "code")
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "set-up",
        "metadata": {
            "mystnb": {
                "code_prompt_show": "Show the set-up cell",
                "code_prompt_hide": "Hide the set-up cell",
            },
            "tags": ["setup", "hide-input"],
        },
        "outputs": [],
        "source": SET_UP.read_text(encoding="utf-8").strip(),
    }
    return [*chapter[:first], cell, *chapter[first:]]


def read(path):
    content = json.loads(path.read_text(encoding="utf-8"))
    content["cells"] = set_up(content["cells"])
    name_cells(content["cells"], path.stem)  # before nbformat, whose own ids are random
    content.update(metadata=METADATA, nbformat=4, nbformat_minor=5)
    return nbformat.reads(json.dumps(content), as_version=4)


def normalise(notebook):
    """Keep what the book and nbval need; drop what differs between runs and machines."""
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = {key: cell.metadata[key] for key in CELL_METADATA if key in cell.metadata}
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(VIEW, None)  # its id is another one in each run
            if output.output_type == "error":  # a traceback holds the paths of this machine
                output.traceback = [f"{output.ename}: {output.evalue}"]
    return notebook


def execute(path):
    """Run one notebook top to bottom and store it. Return the failure, or None."""
    before = path.read_bytes()
    notebook = read(path)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
        record_timing=False,
    )
    client.comm_open_handlers = {}  # as in nbval: what a widget captures stays in its cell
    try:
        client.execute()
    except CellExecutionError as error:
        return f"{path}: {error}"
    if path.read_bytes() != before:
        return f"{path}: edited while it ran, so the edit was kept and the outputs were not stored"
    nbformat.write(normalise(notebook), path)
    return None


def main(arguments):
    for name in arguments:
        if not (name.endswith(".ipynb") and Path(name).is_file()):
            return f"ONLY={name}: no such notebook; write, say, ONLY=notebooks/03_attention.ipynb"
    chapters = sorted((ROOT / "notebooks").glob("*.ipynb"))
    paths = [Path(argument).resolve() for argument in arguments] or chapters
    with ProcessPoolExecutor(max_workers=2) as pool:
        failures = [failure for failure in pool.map(execute, paths) if failure]
    print(*failures, f"{len(paths) - len(failures)} of {len(paths)} notebooks stored", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
