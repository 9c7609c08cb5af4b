"""Make book/bad-input.md from the table of bad input: `make bad-input`.

The table is tests/bad_input_table/*.toml. A file has a `setup`, the code that its rows need,
and for each call the rows [kind, code, outcome, note]. The outcome is what the code gives: the
`repr` of the value, or type and message of the exception. A message that is not ours changes
between releases, so such a row says "TypeError, PyTorch's own message". The note is for the
reader, and may be missing. `without` says why a kind of bad input does not apply to a call.
"""

import contextlib
import importlib
import inspect
import io
import pkgutil
import re
import tempfile
import tomllib
import warnings
from pathlib import Path

import follow_the_tensor

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests" / "package" / "bad_input"
PAGE = ROOT / "book" / "bad-input.md"

KINDS = {
    "type": "another type, or a missing or unknown argument",
    "rank": "another number of axes",
    "size": "sizes that disagree with each other",
    "dtype": "another dtype",
    "device": "another device",
    "range": "a number outside its range",
    "not finite": "NaN and inf",
    "empty": "a batch, list or string of nothing",
    "zero length": "a sequence or size of length 0",
}
FILE = "file"  # a kind of its own, for the calls that read or write one
NOT_OURS = re.compile(r"(\w+), (\S+) own message")


def read_table():
    """The files of the table in order, each a dict."""
    files = sorted(TABLE.glob("[0-9]*.toml"))
    return [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]


def public_calls():
    """What can be called with arguments: name with the module -> name without it."""
    found = {}
    package = follow_the_tensor.__name__ + "."
    for info in pkgutil.walk_packages(follow_the_tensor.__path__, package):
        module = importlib.import_module(info.name)
        for thing in vars(module).values():
            if getattr(thing, "__module__", None) == info.name:
                for call in _calls(thing):
                    found[f"{info.name.removeprefix(package)}.{call}"] = call
    return found


def _calls(thing):
    """The name of a function, or of a class and its methods; nothing that starts with _."""
    if not callable(thing) or thing.__qualname__.startswith("_"):
        return
    if inspect.isclass(thing):
        yield thing.__qualname__
        for name, value in vars(thing).items():
            function = getattr(value, "__func__", value)  # what a classmethod wraps
            if inspect.isfunction(function) and not name.startswith("_"):
                if len(inspect.signature(function).parameters) > 1:
                    yield function.__qualname__
    elif inspect.signature(thing).parameters:
        yield thing.__qualname__


def prepare(setup):
    """The names that `setup` defines, for the rows of its file."""
    names = {}
    exec(setup, names)
    return names


def outcome(code, names):
    """Run the code of a row in an empty folder, and say in one line what it gives."""
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(action="ignore"),
    ):
        try:
            result = eval(code, names)
        except SystemExit as left:
            result = left.code
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    if said.getvalue():  # a command: what a shell shows
        return f"exit code {result}, {said.getvalue().splitlines()[-1]}"
    return repr(result)


def agrees(expected, came):
    """Whether `came` is what a row expects; of a message that is not ours only the type."""
    not_ours = NOT_OURS.fullmatch(expected)
    return came.startswith(f"{not_ours[1]}:") if not_ours else came == expected


def page(table):
    """The page as Markdown."""
    calls = public_calls()
    parts = [INTRODUCTION, "\n".join(f"- **{kind}**: {text}" for kind, text in KINDS.items())]
    for file in table:
        parts += [f"## {file['title']}", f"```python\n{file['setup'].strip()}\n```"]
        for call in file["call"]:
            parts.append(f"### `{calls[call['name']]}`")
            # Folded, or the page would be a hundred screens of a phone.
            parts.append(f"<details><summary>{len(call['rows'])} rows</summary>")
            parts += [_entry(*row) for row in call["rows"]]
            parts += [
                f"Does not apply: **{kinds}**; {reason}."
                for kinds, reason in call.get("without", {}).items()
            ]
            parts.append("</details>")
    return "\n\n".join(parts) + "\n"


def _entry(kind, code, expected, note=""):
    """A row as an entry of a definition list, which a narrow screen shows well."""
    not_ours = NOT_OURS.fullmatch(expected)
    shown = f"`{not_ours[1]}`, {not_ours[2]} own message" if not_ours else f"`{expected}`"
    return f"`{code}`\n: **{kind}** → {shown}" + (f"\n  {note}" if note else "")


INTRODUCTION = """\
# Bad input

Layers, models and commands look at what they are given before they compute. A wrong type or \
dtype raises a `TypeError`; a wrong shape, size, device or range raises a `ValueError`. The \
message names the argument, what was expected, and what came. An inner function, which only \
another one calls, looks at nothing, and its rows say so.

A batch of nothing and a sequence of length 0 are right wherever the mathematics gives them a \
meaning. NaN and inf are not looked for, because that would read every number once more in each \
layer. A mask keeps no NaN out: a blocked key has the weight 0, and 0 × NaN is NaN. So fill what \
is PAD with 0. Sentences do not meet in these layers, so a NaN in one leaves the others right.

A row shows a line of code, the kind of bad input, and what the line gives. Each row is run by \
a test. The code block above the rows makes the names that they use. These are the kinds:"""


if __name__ == "__main__":
    PAGE.write_text(page(read_table()), encoding="utf-8")
    print(f"Wrote {PAGE.relative_to(ROOT)}.")
