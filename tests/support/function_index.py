"""The entries of book/functions.md, read from its text."""

import re
from dataclasses import dataclass

from tests.support.notebook_guard import ROOT

PAGE = (ROOT / "book" / "functions.md").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Entry:
    name: str
    arguments: str
    text: str

    @property
    def last(self):
        return self.name.rpartition(".")[2]


def entries():
    """The entries of the page: a directive each, of the module it says or of the current one."""
    module = ""
    directives = re.findall(r"^:::\{py:(\w+)\} (.+)\n((?:.*\n)*?):::$", PAGE, re.MULTILINE)
    for kind, signature, body in directives:
        name, _, arguments = signature.partition("(")
        own_module = re.match(r":module: (\S+)\n", body)
        if kind == "currentmodule":
            module = "" if name == "None" else name
        else:
            parts = own_module[1] if own_module else module, name
            yield Entry(".".join(filter(None, parts)), arguments.removesuffix(")"), body)


ENTRIES = list(entries())
INDEX = {entry.name for entry in ENTRIES}
EXAMPLE = re.compile(r"`([^`\n]+)` → `([^`\n]+)`")
EXAMPLES = EXAMPLE.findall(PAGE)
LINK = re.compile(
    r"\[(?:Chapter (\d+)|The idea|Appendix)(?:: (.+?))?\]\(\.\./notebooks/(\w+)\.ipynb(?:#\S+)?\)"
)
