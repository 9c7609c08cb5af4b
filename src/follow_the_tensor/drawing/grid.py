"""Cells of a picture as HTML tables, and as text for a terminal."""

from dataclasses import dataclass, replace
from html import escape

import numpy as np

from .numbers import LARGE
from .text import beside, stack

MOST = 45  # percent of colour behind a number: it stays readable in both themes
GROUPS = ("queries", "keys", "values", "weights")  # the colours of groups, again and again

ROW = '<div class="break"></div>'


@dataclass
class Grid:
    """Checked cells. The arrays have the shape [sheets, rows, columns]."""

    name: str
    role: str
    shape: str
    texts: np.ndarray
    numbers: np.ndarray | None
    blocked: np.ndarray
    faded: np.ndarray
    groups: np.ndarray | None
    group_names: list
    rows: list
    columns: list
    sheets: list
    across: int  # sheets in a row: the heads of a sentence
    small: bool = False
    more: str = ""

    @property
    def scale(self):
        """The number that gets the full colour. Weights are shares of 1."""
        if self.numbers is None:
            return 0.0
        sizes = np.abs(self.numbers[~self.blocked])
        largest = float(sizes[sizes < LARGE].max(initial=0.0))
        shares = self.role == "weights" and largest <= 1 and not (self.numbers < 0).any()
        return 1.0 if shares else largest

    @property
    def cell_width(self):
        """An estimate in pixels."""
        return 12 + 9 * max(3, *map(len, [*self.texts.flat, *self.columns]))

    @property
    def label_width(self):
        return 8 * max(map(len, self.rows), default=0)

    def cut(self, height, width, small):
        """The first rows and columns, with a word on what is left out."""
        sizes = zip(("rows", "columns"), self.texts.shape[1:], (height, width), strict=True)
        more = [f"{size - shown} more {what}" for what, size, shown in sizes if size > shown]
        arrays = {
            name: array if array is None else array[:, :height, :width]
            for name in ("texts", "numbers", "blocked", "faded", "groups")
            for array in [getattr(self, name)]
        }
        labels = {"rows": self.rows[:height], "columns": self.columns[:width]}
        return replace(self, **arrays, **labels, small=small, more=", ".join(more))

    def html(self, scales):
        scale = self.scale if self.role == "plain" else scales[self.role]
        tables = "\n".join(
            ROW * (n > 0 and n % self.across == 0) + self._table(n, scale)
            for n in range(len(self.texts))
        )
        named = len(self.sheets) > 1 and self.name
        name = f'<div class="name">{escape(self.name)}</div>\n' if named else ""
        shape = f'\n<div class="shape">{escape(self.shape)}</div>' if self.shape else ""
        role = "" if self.role == "plain" else f" {self.role}"
        grids = f'<div class="grids">\n{tables}\n</div>'
        return f'<div class="piece{role}">\n{name}{grids}{shape}\n</div>'

    def _table(self, sheet, scale):
        name = self._title(sheet)
        caption = [f"<caption>{escape(name)}</caption>"] * bool(name)
        lines = [*caption, *self._head(), "<tbody>"]
        for row in range(self.texts.shape[1]):
            label = _header("row", self.rows[row]) if self.rows else ""
            cells = [self._cell((sheet, row, n), scale) for n in range(self.texts.shape[2])]
            lines.append(f"<tr>{label}{''.join(cells)}</tr>")
        lines.append("</tbody>")
        if self.more:
            width = bool(self.rows) + self.texts.shape[2]
            lines.append(f'<tfoot><tr><td colspan="{width}">⋮ {self.more}</td></tr></tfoot>')
        widest = max(map(len, self.texts.flat))
        width = f' style="--w:{widest}"' if widest > 3 and not self.small else ""
        return f"<table{self._kind(name)}{width}>" + "\n".join(lines) + "</table>"

    def _title(self, sheet):
        return self.sheets[sheet] if len(self.sheets) > 1 else self.name

    def _kind(self, name):
        if not self.small:
            return ' class="grid"'
        return f' class="grid small" role="img" aria-label="{escape(f"{name} {self._extent()}")}"'

    def _extent(self):
        """What a map says to those who do not see it."""
        words = f"map of {' × '.join(map(str, self.texts.shape[1:]))}"
        if self.numbers is None:
            return words
        low, high = np.nanmin(self.numbers), np.nanmax(self.numbers)
        return f"{words}, {low:g} to {high:g}".replace("-", "−")

    def _head(self):
        corner = "<td></td>" if self.rows else ""
        lines = []
        if self.group_names:
            span = self.texts.shape[2] // len(self.group_names)
            tones = self.groups[0, 0, ::span]
            lines.append("".join(
                f'<th scope="colgroup" colspan="{span}" class="{_tone(tone)}">{escape(name)}</th>'
                for name, tone in zip(self.group_names, tones, strict=True)
            ))  # fmt: skip
        if self.columns:
            lines.append("".join(_header("col", name) for name in self.columns))
        if not lines:
            return []
        return ["<thead>", *[f"<tr>{corner}{line}</tr>" for line in lines], "</thead>"]

    def _cell(self, place, scale):
        text = "" if self.small else escape(self.texts[place])
        share, kinds = self._shade(place, scale)
        style = f' style="--share:{share}%"' if share else ""
        hidden = ""
        if self.faded[place]:
            kinds.append("faded")
        if self.blocked[place]:
            kinds.append("blocked")
            # Struck out where no style comes along, for one on GitHub.
            text, hidden = f"<s>{text}</s>", f' aria-label="{text}, blocked"'
        kind = f' class="{" ".join(kinds)}"' if kinds else ""
        return f"<td{kind}{style}{hidden}>{text}</td>"

    def _shade(self, place, scale):
        """How much of which colour: percent, and the role if it is not that of the table."""
        if self.groups is not None:
            return 26, [_tone(self.groups[place])]
        if self.numbers is None:  # what is marked has to differ from what fades
            return (26 if self.faded.any() and not self.faded[place] else 0), []
        number = self.numbers[place]
        if self.faded[place] or not scale or not abs(number) < LARGE:
            return 0, []
        negative = ["queries" if self.role == "keys" else "keys"]
        share = round(MOST * min(abs(number) / scale, 1))
        return share, negative if self.small and number < 0 and share else []

    def lines(self):
        """The same as text: `/5/` is blocked, `5*` is marked."""
        names = [[self.name]] if len(self.sheets) > 1 else []
        grids = beside([self._sheet_lines(n) for n in range(len(self.texts))])
        return stack([*names, grids, [self.shape] * bool(self.shape)])

    def _sheet_lines(self, sheet):
        if self.small:
            return [self._title(sheet), f"({self._extent()})"]
        height, width = self.texts.shape[1:]
        table = [[self._word((sheet, row, n)) for n in range(width)] for row in range(height)]
        table = [self.columns] * bool(self.columns) + table
        if self.rows:
            table = [[label, *line] for label, line in zip(
                [""] * bool(self.columns) + self.rows, table, strict=True)]  # fmt: skip
        sizes = [max(map(len, column)) for column in zip(*table, strict=True)]
        body = [" ".join(w.rjust(n) for w, n in zip(line, sizes, strict=True)) for line in table]
        groups = [" | ".join(self.group_names)] * bool(self.group_names)
        return stack([[self._title(sheet)], groups, body, [f"⋮ {self.more}"] * bool(self.more)])

    def _word(self, place):
        text = self.texts[place]
        if self.blocked[place]:
            text = f"/{text}/"
        return f"{text}*" if self.faded.any() and not self.faded[place] else text


def _header(scope, name):
    if not name:
        return "<td></td>"
    return f'<th scope="{scope}">{escape("␣" if name.isspace() else name)}</th>'


def _tone(group):
    return GROUPS[group % len(GROUPS)]
