"""How parts are wired: boxes, sums and arrows on a grid that is written as text."""

import re
from dataclasses import dataclass
from html import escape

from ..shapes import check_string
from .palette import ROLES
from .text import stack

LETTER, GAP, ROW, TOP = 8.2, 26, 60, 26  # pixels
ARROW = re.compile(r"\s*([→←↓↑])\s*")


@dataclass
class Node:
    """A box, a sum, a dot where a line branches, or words; x and y are its middle."""

    text: str
    kind: str
    row: int
    column: int
    x: float = 0
    y: float = 0

    @property
    def half(self):
        """Half of its width and of its height."""
        letters = round(LETTER * len(self.text) / 2)
        sizes = {"sum": (11, 11), "dot": (0, 0), "box": (letters + 11, 17)}
        return sizes.get(self.kind, (letters + 5, 11))

    def svg(self, role):
        tone = f' class="{role}"' if role else ""
        label = f'<text x="{self.x}" y="{self.y + 5}">{escape(self.text)}</text>'
        if self.kind == "dot":
            return f'<circle class="dot" cx="{self.x}" cy="{self.y}" r="3"/>'
        if self.kind == "sum":
            label = label.replace(escape(self.text), "+")
            return f'<g><circle cx="{self.x}" cy="{self.y}" r="11"/>{label}</g>'
        if self.kind == "words":
            return label
        wide, high = self.half
        place = f'x="{self.x - wide}" y="{self.y - high}"'
        size = f'width="{2 * wide}" height="{2 * high}" rx="6"'
        return f"<g{tone}><rect {place} {size}/>{label}</g>"


@dataclass
class Wiring:
    name: str
    text: str
    paths: tuple
    nodes: dict
    roles: dict
    frames: dict

    def html(self, scales):
        width = max(node.x + node.half[0] for node in self.nodes.values()) + 4
        height = max(node.y for node in self.nodes.values()) + TOP
        side = 12 if self.frames else 0  # they stand out, and have their titles below
        width, height = width + 2 * side, height + (16 if self.frames else 0)
        edges = [edge for path in self.paths for edge in _edges(path, self.nodes)]
        parts = [
            *[self._frame(*frame) for frame in self.frames.items()],
            f'<path d="{"".join(line for line, _ in edges)}"/>',
            f'<path class="heads" d="{"".join(head for _, head in edges)}"/>',
            *[node.svg(self.roles.get(name)) for name, node in self.nodes.items()],
        ]
        label = escape(f"{self.name}: {'; '.join(self.paths)}")
        # It may shrink a little, and scrolls in its own box where that is not enough.
        least = f'style="min-width:{round(0.85 * width)}px"'
        size = f'viewBox="{-side} 0 {width} {height}" width="{width}" {least}'
        svg = f'<svg {size} role="img" aria-label="{label}">' + "\n".join(parts) + "</svg>"
        return f'<div class="piece"><div class="name">{escape(self.name)}</div>\n{svg}</div>'

    def _frame(self, title, names):
        nodes = [self.nodes[name] for name in names]
        left = min(node.x - node.half[0] for node in nodes) - 12
        right = max(node.x + node.half[0] for node in nodes) + 12
        top, bottom = min(node.y for node in nodes) - 26, max(node.y for node in nodes) + 26
        place = f'x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" rx="8"'
        label = f'<text x="{left + 4}" y="{bottom + 14}">{escape(title)}</text>'
        return f'<g class="frame"><rect {place}/>{label}</g>'

    def lines(self):
        return stack([[self.name], self.text.splitlines(), list(self.paths)])


def wiring(name, text, *paths, roles=None, frames=None):
    """Boxes and arrows, for `draw`.

        wiring("Post-LN", '''
            x | •           | + | [norm] | y
              | [self_attn] |   |        |
            ''', "x → • → + → norm → y", "• ↓ self_attn → +")

    Args:
        name: what stands above.
        text: the places, a line for each row and "|" between columns: "[a box]", "words",
            "+" a sum, "•" a point where a line branches. "+2" is a second sum.
        paths: names with arrows between them. → and ← go sideways first, ↓ and ↑ up or
            down first; so each arrow has at most one corner.
        roles: box -> role, which colours it.
        frames: title -> names around which a frame is drawn, "N×" for one.

    Raises:
        TypeError, ValueError: an argument is no text, a place is taken twice, or a path, a
            role or a frame names what is not there.
    """
    for argument, value in [("name", name), ("text", text), *[("paths", path) for path in paths]]:
        check_string(argument, value)
    nodes = _places(text)
    roles, frames = roles or {}, frames or {}
    named = [("paths", ARROW.split(path)[::2]) for path in paths]
    named += [("roles", roles), *[("frames", names) for names in frames.values()]]
    for argument, names in named:
        for each in names:
            if each not in nodes:
                known = ", ".join(nodes)
                raise ValueError(f"{argument}: expected one of {known}, got {each!r}")
    for role in roles.values():
        if role not in ROLES:
            raise ValueError(f"roles: expected one of {', '.join(ROLES)}, got {role!r}")
    rows = [line.strip() for line in text.strip().splitlines()]
    return Wiring(name, "\n".join(rows), paths, nodes, roles, frames)


def _places(text):
    nodes = {}
    lines = [line for line in text.splitlines() if line.strip()]
    for row, line in enumerate(lines):
        for column, place in enumerate(map(str.strip, line.split("|"))):
            if not place:
                continue
            kind = {"[": "box", "+": "sum", "•": "dot"}.get(place[0], "words")
            word = place.strip("[]")
            if word in nodes:
                raise ValueError(f"text: expected each name once, got {word!r} twice")
            nodes[word] = Node(word, kind, row, column)
    if not nodes:
        raise ValueError(f"text: expected at least one name, got {text!r}")
    return _laid_out(nodes)


def _laid_out(nodes):
    left = 0
    for column in range(1 + max(node.column for node in nodes.values())):
        members = [node for node in nodes.values() if node.column == column]
        wide = max((node.half[0] for node in members), default=0)
        for node in members:
            node.x, node.y = round(left + wide + 2), TOP + ROW * node.row
        left += 2 * wide + GAP
    return nodes


def _edges(path, nodes):
    """Line and arrow head for each arrow of a path, as data of SVG paths."""
    steps = ARROW.split(path)
    for start, arrow, end in zip(steps[:-2:2], steps[1::2], steps[2::2], strict=True):
        yield _edge(nodes[start], nodes[end], sideways=arrow in "→←")


def _edge(start, end, sideways):
    right, down = _sign(end.x - start.x), _sign(end.y - start.y)
    if not (right and down):  # no corner
        sideways = ends_sideways = bool(right)
        corner = ""
    else:
        ends_sideways = not sideways
        corner = f"H{end.x}" if sideways else f"V{end.y}"
    x, y = start.x, start.y
    x, y = (x + right * start.half[0], y) if sideways else (x, y + down * start.half[1])
    tip_x, tip_y = end.x, end.y
    if ends_sideways:
        tip_x -= right * end.half[0]
        return f"M{x},{y}{corner}H{tip_x}", _head(end, tip_x, tip_y, right, 0)
    tip_y -= down * end.half[1]
    return f"M{x},{y}{corner}V{tip_y}", _head(end, tip_x, tip_y, 0, down)


def _head(end, x, y, right, down):
    if end.kind == "dot":  # the line goes on
        return ""
    back_x, back_y = x - 8 * right, y - 8 * down
    return (
        f"M{x},{y}L{back_x + 5 * down},{back_y + 5 * right}"
        f"L{back_x - 5 * down},{back_y - 5 * right}z"
    )


def _sign(number):
    return (number > 0) - (number < 0)
