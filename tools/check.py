"""Check what changed, or what ONLY names, in about a minute; make test checks everything.

    python -m tools.check [attention | notebooks/03_attention.ipynb | explorables/softmax ...]

Without a name: what changed since the branch left main, and the files that git does not know yet.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
FOLDERS = "src notebooks book tests tools benchmarks".split()
MAKE = ["make", "--no-print-directory"]
NBVAL = ["--nbval", "--nbval-current-env", "-p", "no:cacheprovider"]  # as in the Makefile
OF_NOTEBOOKS = [
    f"tests/notebooks/test_{name}.py" for name in ("notebooks", "prose_numbers", "functions")
]


def files(pattern):
    found = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob(pattern)))
    return [path.relative_to(ROOT) for path in found if path.is_file()]


def git(*arguments):
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines()


def changed():
    base = git("merge-base", "HEAD", "@{upstream}") or git("merge-base", "HEAD", "main") or ["HEAD"]
    names = git("diff", "--name-only", *base) + git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in names if (ROOT / name).exists()]


def named(name):
    """The files that a path, the end of a folder's path or a bare name means."""
    inside = f"/{name.strip('/')}/"
    found = [path for path in files("*") if inside in f"/{path.as_posix()}/" or path.stem == name]
    if not found:
        sys.exit(f"ONLY={name}: nothing has this name; write, say, ONLY=attention, "
                 "ONLY=notebooks/03_attention.ipynb or ONLY=explorables/softmax")  # fmt: skip
    return [path for path in found if path.suffix != ".pyc"]


def runs_for(path):
    """What pytest is to run for a file: a list of arguments for each run."""
    if path.parent == Path("notebooks"):
        return [[*NBVAL, path], [*OF_NOTEBOOKS, "-k", path.stem]]
    if path.parent.parent.name == "explorables":
        return [[*files("test_explorables*.py"), "-k", path.parent.name]]
    wanted = path.name if path.name.startswith("test_") else f"test_{path.stem}.py"
    return [[test] for test in files(wanted) if test.parts[0] == "tests"]


def main(names):
    paths = [path for name in names for path in named(name)] if names else changed()
    if not paths:
        print("Nothing has changed, so there is nothing to check; make test checks everything.")
        return 0
    runs = {tuple(map(str, run)) for path in paths for run in runs_for(path)}
    together = sorted(test for run in runs if len(run) == 1 for test in run)
    commands = [[*MAKE, "lint"]]
    if any(path.parent.parent.name == "explorables" for path in paths):
        commands.append([BIN / "python", "-c", "import follow_the_tensor.explorables"])
    if any(path.parts[0] == "book" for path in paths) or "tests/pages" in str(runs):
        commands.append([*MAKE, "book"])
    commands += [[BIN / "pytest", *together]] if together else []
    commands += [[BIN / "pytest", *run] for run in sorted(runs) if len(run) > 1]
    red = [command for command in commands if not passes(command)]
    for path in paths:
        if not runs_for(path) and path.parts[0] != "book":
            print(f"{path}: no test has its name, make test checks it")
    for command in red:
        print("red:", shown(command))
    return min(len(red), 1)


def shown(command):
    return " ".join(str(getattr(part, "name", part)) for part in command)


def passes(command):
    print("$", shown(command), flush=True)
    good = not subprocess.run(command, cwd=ROOT).returncode
    if not good and "--nbval" in command:
        print(f"If the new output is right, store it: make notebooks ONLY={command[-1]}")
    return good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
