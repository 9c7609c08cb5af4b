"""Change every stored number, one at a time, and show that validation then fails.

    python tools/mutations.py [--stored] [notebooks/03_attention.ipynb ...]

Every digit, every minus sign and every True, False, inf and nan of the stored outputs gets
another value. To run nbval again for each of them would take days. But nbval runs a cell
first and compares afterwards. So each notebook runs once, under nbval, and must pass. Then
nbval's own test of each cell is repeated for each change, whole, with a kernel that repeats
what the cell has just put out.

That this is the same as the real command is shown at the end: a copy of each notebook, with
one change in each cell that has a number, goes through `pytest --nbval` in a process of its
own. Exactly the changed cells must fail.

With --stored nothing runs, and the kernel repeats the stored outputs. nbval asks whether two
outputs are equal in all that it looks at. Once the notebooks have passed, what runs and what
is stored are equal there, so the same changes are seen. This takes seconds, and `make test`
does it after the validation.

What nbval does not look at is in tests/unchecked_outputs.toml, with what holds it instead.
"""

import argparse
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from copy import copy
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from nbval.plugin import IPyNbCell, NbCellError

from tools.mutants import PICTURES, mutants

ROOT = Path(__file__).resolve().parent.parent
UNCHECKED = ROOT / "tests" / "notebooks" / "unchecked_outputs.toml"
SETTINGS = ["--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]  # those of make test
# nbval is imported here before pytest can rewrite its asserts.
NBVAL = [*SETTINGS, "-q", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


class Replay:
    """A kernel that answers whatever it is asked with the same outputs."""

    def __init__(self, outputs):
        kinds = [output.output_type for output in outputs]
        self.answers = [*zip(kinds, outputs, strict=True), ("status", {"execution_state": "idle"})]

    def is_alive(self):
        return True

    def execute_cell_input(self, source, allow_stdin):
        self.left = iter(self.answers)
        return "id"

    def await_reply(self, message_id, timeout):
        pass

    def await_idle(self, message_id, timeout):
        pass

    def get_message(self, stream, timeout):
        kind, content = next(self.left)
        return {"msg_type": kind, "content": content, "parent_header": {"msg_id": "id"}}


class Mutations:
    """A plugin of pytest: after nbval has passed a cell, try every change of it."""

    def __init__(self, stored):
        self.stored = stored
        self.numbers, self.tried = Counter(), Counter()
        self.survivors = []  # (notebook, cell, kind, text)

    def pytest_collection_modifyitems(self, items):
        if self.stored:
            for notebook in {item.parent for item in items}:
                notebook.setup = notebook.setup_sanitize_files  # and start no kernel

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item):
        kernel = item.parent.kernel
        stored = item.cell.outputs
        if self.stored:
            item.parent.kernel = Replay(stored)
        try:
            yield
        finally:
            self.try_all(item, stored, Replay(stored if self.stored else item.test_outputs or []))
            item.cell.outputs, item.parent.kernel = stored, kernel

    def try_all(self, item, stored, kernel):
        item.parent.kernel = kernel
        item.format_output_compare = lambda *difference: None  # a diff takes up to a second
        name = item.path.stem
        for kind, text, changed in mutants(stored):
            self.numbers[name] += 1
            self.tried[name] += len(changed)
            if not all(fails(item, outputs) for outputs in changed):
                self.survivors.append((name, item.cell.id, kind, text))


def fails(item, outputs):
    """Whether nbval's test of a cell fails with these outputs stored."""
    item.cell.outputs = [copy(output) for output in outputs]  # nbval joins streams in place
    try:
        IPyNbCell.runtest(item)
    except NbCellError:
        return True
    except pytest.skip.Exception:
        pass
    return False


def unchecked():
    return tomllib.loads(UNCHECKED.read_text(encoding="utf-8"))


def excused(survivor):
    notebook, cell, kind, _ = survivor
    if kind in PICTURES:
        return cell in unchecked()["pictures"].get(notebook, {})
    return kind in unchecked()["kinds"]


def change_each_cell(path, target):
    """Store a copy with one number changed in each cell that has one; return their names."""
    notebook = nbformat.read(path, as_version=4)
    changed = set()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for n, cell in enumerate(code):
        compared = [
            m for m in mutants(cell.outputs) if m[0] not in {*unchecked()["kinds"], *PICTURES}
        ]
        if compared:
            _, _, changes = compared[n % len(compared)]  # at the start, in the middle, …
            cell.outputs = changes[-1]
            changed.add(f"Cell {n}")
    nbformat.write(notebook, target)
    return changed


def really_fail(paths):
    """Run the real command on changed copies; return what is not as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = {path.name: change_each_cell(path, Path(folder) / path.name) for path in paths}
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", *NBVAL, f"--junitxml={report}", folder]
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL)
        failed = {name: set() for name in wanted}
        for case in ElementTree.parse(report).iter("testcase"):
            if case.find("failure") is not None:
                failed[case.get("classname").split(".")[-2] + ".ipynb"].add(case.get("name"))
    total = sum(len(cells) for cells in wanted.values())
    print(f"The command itself: {total} cells changed in {len(paths)} copies of notebooks")
    return [
        f"{name}: {cell} is {'changed and passes' if cell in wanted[name] else 'red unchanged'}"
        for name in wanted
        for cell in sorted(wanted[name] ^ failed[name])
    ]


def report(mutations):
    """Print a line for each notebook; return the survivors that no reason excuses."""
    alive = [survivor for survivor in mutations.survivors if not excused(survivor)]
    print(f"\n{'notebook':28}{'numbers':>8}{'changes':>9}{'caught':>8}{'excused':>9}{'alive':>7}")
    for name, count in mutations.numbers.items():
        all_left = sum(survivor[0] == name for survivor in mutations.survivors)
        left = sum(survivor[0] == name for survivor in alive)
        row = count, mutations.tried[name], count - all_left, all_left - left, left
        print(f"{name:28}{row[0]:8}{row[1]:9}{row[2]:8}{row[3]:9}{row[4]:7}")
    return [f"{name}, cell {cell}, {kind}: {text!r}" for name, cell, kind, text in alive]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="all, if none is named")
    parser.add_argument("--stored", action="store_true", help="run nothing; see above")
    options = parser.parse_args(arguments)
    paths = options.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb"))
    mutations = Mutations(options.stored)
    if pytest.main([*NBVAL, *map(str, paths)], plugins=[mutations]) != 0:
        return "The notebooks do not pass unchanged: see make test."
    problems = report(mutations)
    if not options.stored:
        problems += really_fail(paths)
    print(*problems, sep="\n")
    if problems:
        return f"{len(problems)} changes of stored numbers pass the validation: see above."
    total, left = sum(mutations.numbers.values()), len(mutations.survivors)
    print(f"Validation fails for {total - left} of {total} stored numbers. The {left} others are")
    print(f"listed with the reason in {UNCHECKED.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
