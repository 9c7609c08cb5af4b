"""The rows of the page on bad input, from the table that test_bad_input runs.

The table is tests/package/bad_input/*.toml. A file has a `setup`, the code that its rows need,
and for each call the rows [kind, code, outcome, note]. The outcome is what the code gives: the
`repr` of the value, or type and message of the exception. A message that is not ours changes
between releases, so such a row says "TypeError, PyTorch's own message". The note is for the
reader, and may be missing.
"""

import re
import tomllib

from .repository import ROOT

PACKAGE = ROOT / "src" / "follow_the_tensor"
FILES = sorted((ROOT / "tests" / "package" / "bad_input").glob("[0-9]*.toml"))
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
NOT_OURS = re.compile(r"(\w+), (\S+) own message")


def read_table():
    """The files of the table in order, each a dict."""
    return [tomllib.loads(file.read_text(encoding="utf-8")) for file in FILES]


def rows():
    """The kinds of bad input, and every row, as Markdown."""
    parts = ["\n".join(f"- **{kind}**: {text}" for kind, text in KINDS.items())]
    for file in read_table():
        parts += [f"## {file['title']}", f"```python\n{file['setup'].strip()}\n```"]
        for call in file["call"]:
            parts += [f"### `{without_module(call['name'])}`", *folded(call)]
    return "\n\n".join(parts)


def folded(call):
    """The rows of one call, folded, or the page would be a hundred screens of a phone."""
    yield f"<details><summary>{len(call['rows'])} rows</summary>"
    yield from (entry(*row) for row in call["rows"])
    yield "</details>"


def entry(kind, code, expected, note=""):
    """A row as an entry of a definition list, which a narrow screen shows well."""
    not_ours = NOT_OURS.fullmatch(expected)
    shown = f"`{not_ours[1]}`, {not_ours[2]} own message" if not_ours else f"`{expected}`"
    return f"`{code}`\n: **{kind}** → {shown}" + (f"\n  {note}" if note else "")


def without_module(name):
    """Such as MultiHeadAttention.split_heads for attention.MultiHeadAttention.split_heads."""
    parts, here = name.split("."), PACKAGE
    while (here / parts[0]).is_dir() or (here / f"{parts[0]}.py").exists():
        here /= parts.pop(0)
    return ".".join(parts)
