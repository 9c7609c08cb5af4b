"""`draw`: tensors on the page, as tables with operators between them.

The output is HTML that needs no script, in the colours of palette.py, with the same as text
beside it. Looked at before: treescope (a script in every output), lovely-tensors (a line of
statistics, or pixels) and rainbow-tensor (one operation as SVG). None of them shows tensors
with operators between them as tables.
"""

import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

from .bars import Bars
from .cells import cells
from .grid import Grid
from .palette import ROLES, light
from .text import beside, stack
from .wiring import Wiring


def draw(*parts):
    """A picture of tensors with operators between them.

        draw(("query", q), "·", ("keysᵀ", k.T), "=", ("scores", s), "→ softmax", ("weights", w))

    Args:
        parts: from left to right. A pair (name, tensor), or `cells`, `bars` or `wiring`. Or
            a text between them: an operator, an arrow with words for below it, or a remark.
            A text of one line break begins a new line.

    Raises:
        TypeError, ValueError: a part is something else, or there is none.
    """
    if not parts:
        raise ValueError("parts: expected at least one part, got none")
    return Picture([_piece(part) for part in parts])


@dataclass
class Picture:
    """What `draw` returns: HTML in a notebook, text in a terminal."""

    pieces: list

    def _repr_html_(self):
        grids = [piece for piece in self.pieces if isinstance(piece, Grid)]
        scales = {}  # tensors of one role are shaded alike
        for grid in grids:
            scales[grid.role] = max(grid.scale, scales.get(grid.role, 0))
        steps = "\n".join(_steps(self.pieces, scales))
        body = f'<div class="draw">\n{steps}\n</div>'
        return f"<style>{stylesheet(body)}</style>\n{body}"

    def __repr__(self):
        rows = [[]]
        for piece in self.pieces:
            if piece == BREAK:
                rows.append([])
            else:
                rows[-1].append(piece.lines())
        return "\n\n".join("\n".join(beside(row)) for row in rows)


@dataclass
class Words:
    """What stands between two tensors."""

    text: str

    def html(self, scales):
        if self == BREAK:
            return '<div class="break"></div>'
        sign, words = self._split()
        small = f" <small>{escape(words)}</small>" if words else ""
        return f'<div class="op">{escape(sign)}{small}</div>'

    def lines(self):
        return stack([[words] for words in self._split()])

    def _split(self):
        """The sign, which is large, and the words, which are small."""
        if self.text[:1] in "→←↑↓↗↘":
            return self.text[:1], self.text[1:].strip()
        return (self.text, "") if len(self.text) < 4 else ("", self.text)


BREAK = Words("\n")


def _steps(pieces, scales):
    """An operator stays with what follows it: a new line begins before the operator."""
    words = []
    for piece in pieces:
        words.append(piece.html(scales))
        if piece == BREAK or not isinstance(piece, Words):
            yield words[0] if len(words) == 1 else f'<div class="step">{"".join(words)}</div>'
            words = []
    yield from words


def _piece(part):
    if isinstance(part, str):
        return Words(part)
    if isinstance(part, tuple) and len(part) == 2:
        return cells(*part)
    if isinstance(part, (Grid, Bars, Wiring)):
        return part
    kind = type(part).__name__
    raise TypeError(
        f"parts: expected texts, pairs (name, tensor), cells, bars or wiring, got {kind}"
    )


def stylesheet(html):
    """The rules of draw.css that `html` needs, and the colours of its roles."""
    parts = [rules for word, rules in _PARTS if re.search(rf'[<"\s]{word}[\s"]', html)]
    tones = [tone for role, tone in _TONES.items() if re.search(rf'["\s]{role}["\s]', html)]
    return "".join([*parts, *tones])


def _read_parts():
    """Each part of draw.css with the class or tag that asks for it."""
    text = Path(__file__).with_name("draw.css").read_text(encoding="utf-8")
    first, *rest = re.split(r"^/\* (\w+) \*/\n", text, flags=re.MULTILINE)
    first = re.sub(r"/\*.*\*/", "", first)
    parts = [("draw", first), *zip(rest[::2], rest[1::2], strict=True)]
    return [(word, rules.replace("\n", "")) for word, rules in parts]


_PARTS = _read_parts()
_TONES = {role: f".draw .{role}{{--tone:var(--ftt-{role},{light(role)})}}" for role in ROLES}
