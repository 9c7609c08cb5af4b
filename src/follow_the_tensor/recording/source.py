"""What the recorder reads out of source text: statements, comments, names of axes."""

import ast
import inspect
import io
import re
import textwrap
import tokenize
from functools import lru_cache

from .text import head_end, text_of

BRACKET = re.compile(r"(?<![\w\])])\[([^\[\]]*)\]")
AXIS = re.compile(r"\.\.\.|[A-Za-z_]\w*|\d+|\w+\(.*\)|\w+ ?[-+*/·] ?\w+")


class Source:
    """The text of one function, dedented, with line 1 at its head.

    Numbers that count from the head stay true when another part of the file changes.

    Raises:
        NoText: the text is not to be had, or is not what runs.
    """

    def __init__(self, code, space):
        lines, self._first = text_of(code, space)
        self.text = textwrap.dedent("".join(lines)).rstrip()
        self.tree = _parse(self.text)
        self.statements = _statements(self.tree)
        self.checks = _checks(self.tree)
        self.comments = _comments(self.text)
        self.comprehension_names = _comprehension_names(self.tree)

    def statement(self, line):
        """The first and last line of the statement at `line` of the file."""
        here = line - self._first + 1
        return self.statements.get(here, (here, here))

    def axes(self, statement):
        """The axes which the last comment of a statement names, in readings."""
        start, end = statement
        for number in range(end, start - 1, -1):
            if readings := axes_in(self.comments.get(number, "")):
                return readings
        return []

    def long_statements(self):
        """[first, last] of each statement that takes more than a line."""
        spans = sorted({span for span in self.statements.values() if span[0] != span[1]})
        return [list(span) for span in spans]

    @property
    def docstring(self):
        """The text of the docstring and its lines [first, last], or "" and None."""
        node = self.tree.body[0] if self.tree else None
        is_definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        text = ast.get_docstring(node) if is_definition else None
        if not text:
            return "", None
        return text, [node.body[0].lineno, node.body[0].end_lineno]


def axes_in(text):
    """Every `[B, L, D]` in a text, each as a tuple of names.

    `[B=1, L=3]` gives the names without the sizes. A name that ends in "?" may be an axis
    of size 1 instead. A bracket with anything else, like a slice, is no list of axes.
    """
    readings = []
    for match in BRACKET.finditer(text):
        names = tuple(part.split("=")[0].strip() for part in match[1].split(","))
        if all(AXIS.fullmatch(name) for name in names):
            # What broadcasts to [B, H, Lq, Lk] has each of these axes, or one of size 1.
            maybe = re.search(r"broadcasts?\s+to\s*$", text[: match.start()])
            readings.append(tuple(name + "?" for name in names) if maybe else names)
    return readings


@lru_cache(maxsize=256)
def axes_in_docstring(text):
    """The Shapes block of a docstring: name of an argument, or "returns", -> readings."""
    lines = inspect.cleandoc(text).splitlines()
    starts = [number for number, line in enumerate(lines) if re.fullmatch(r"Shapes?:", line)]
    if not starts:
        return {}
    block = []
    for line in lines[starts[0] + 1 :]:
        if line and not line.startswith(" "):
            break
        block.append(line)
    # Several on one line are possible: `Q: [B, Lq, D]    K: [B, Lk, D]`.
    parts = re.split(r"(?:^|(?<=\s))([A-Za-z_]\w*):\s", "\n".join(block))
    return {name: axes_in(rest) for name, rest in zip(parts[1::2], parts[2::2], strict=True)}


def fit_axes(names, shape, sizes, leading=()):
    """Names for the axes of `shape`, None where one is not known; None if they do not fit.

    `sizes` are the integers at hand: an axis is not called B where B is another number.
    `leading` are the names that "..." stands for, if known.
    """
    if "..." in names:
        at, missing = names.index("..."), len(shape) - len(names) + 1
        filler = leading if len(leading) == missing else (None,) * max(missing, 0)
        names = (*names[:at], *filler, *names[at + 1 :])
    if len(names) != len(shape):
        return None
    if any(
        name and name.isdigit() and int(name) != size
        for name, size in zip(names, shape, strict=True)
    ):
        return None
    fitted = tuple(_fit_axis(name, size, sizes) for name, size in zip(names, shape, strict=True))
    return fitted if any(fitted) else None


def _fit_axis(name, size, sizes):
    if name is None or name.isdigit() or (name.endswith("?") and size == 1):
        return None
    name = name.removesuffix("?")
    return name if sizes.get(name, size) == size else None


def _parse(text):
    try:
        return ast.parse(text)
    except SyntaxError:  # the head of a compound statement, with a lambda in it
        return None


def _statements(tree):
    """Line -> (first, last) of its statement; of a compound statement only the head."""
    spans = {}
    # From the outside in, so that what is written last is the innermost statement.
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.stmt):
            span = (node.lineno, head_end(node))
            spans.update((line, span) for line in range(span[0], span[1] + 1))
    return spans


def _checks(tree):
    """The first lines of the statements that call nothing but checks of what was given."""
    lines = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, (ast.Expr, ast.Assign)):
            calls = [each.func for each in ast.walk(node) if isinstance(each, ast.Call)]
            names = [getattr(call, "attr", getattr(call, "id", "")) for call in calls]
            if names and all(name.lstrip("_").startswith("check_") for name in names):
                lines.add(node.lineno)
    return lines


def _comprehension_names(tree):
    """The names that comprehensions set and nothing else does."""
    nodes = list(ast.walk(tree)) if tree else []
    targets = [node.target for node in nodes if isinstance(node, ast.comprehension)]
    inside = [name for target in targets for name in _names_set(ast.walk(target))]
    everywhere = _names_set(nodes) + [node.arg for node in nodes if isinstance(node, ast.arg)]
    return {name for name in inside if inside.count(name) == everywhere.count(name)}


def _names_set(nodes):
    names = [node for node in nodes if isinstance(node, ast.Name)]
    return [name.id for name in names if isinstance(name.ctx, ast.Store)]


def _comments(text):
    comments = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.string
    except (tokenize.TokenError, SyntaxError):  # IndentationError is a SyntaxError
        pass  # again only a head: what was read so far will do
    return comments
