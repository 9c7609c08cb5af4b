"""Code as the cell of a notebook holds it: text that was never in a file."""

import ast
import linecache
import textwrap
from itertools import count

_numbers = count(1)


def cell(text, **names):
    """Run a text the way a notebook runs a cell; return its names."""
    text = textwrap.dedent(text).strip("\n") + "\n"
    file = f"<ipython-input-{next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"__name__": "__main__", **names}
    for statement in ast.parse(text).body:  # one by one
        exec(compile(ast.Module([statement], []), file, "exec"), space)
    return space
