"""A distribution as bars."""

import math
from dataclasses import dataclass
from html import escape

from ..shapes import check_index, check_shape, check_string, check_strings
from .numbers import check_digits, settle, write
from .text import stack


@dataclass
class Bars:
    name: str
    labels: list
    texts: list
    parts: list
    marked: list

    def html(self, scales):
        rows = "\n".join(map(self._row, range(len(self.labels))))
        caption = f"<caption>{escape(self.name)}</caption>" if self.name else ""
        return f'<div class="piece"><table class="bars">{caption}\n{rows}</table></div>'

    def _row(self, n):
        kind = ' class="chosen"' if n in self.marked else ""
        bar = f'<span class="bar" style="--part:{self.parts[n]:.2f}"></span>'
        label = f'<th scope="row">{escape(self.labels[n])}</th>'
        return f"<tr{kind}>{label}<td>{bar}{self.texts[n]}</td></tr>"

    def lines(self):
        width, numbers = max(map(len, self.labels)), max(map(len, self.texts))
        rows = [
            f"{label:>{width}} {text:>{numbers}} {'█' * round(20 * part):<20}"
            for label, text, part in zip(self.labels, self.texts, self.parts, strict=True)
        ]
        return stack([[self.name], rows])


def bars(name, labels, values, *, digits=None, mark=()):
    """A bar for each value, for `draw`: the probabilities of the next word, for one.

    Args:
        name: what stands above.
        labels: a text for each value.
        values: [n], none negative. Up to 1, a bar of full length is 1; else it is the largest.
        digits: decimals; else as many as the values need, 2 at most.
        mark: the numbers of the bars that count.

    Raises:
        TypeError, ValueError: an argument is of another type, or does not fit the values.
    """
    check_string("name", name)
    check_strings("labels", labels)
    check_digits(digits)
    labels = [str(label) for label in labels]
    check_shape("values", values, len(labels))
    if not labels:
        raise ValueError("labels: expected at least one label, got none")
    if values.is_complex():
        raise TypeError(f"values: expected real numbers, got {values.dtype}")
    numbers = [settle(number, digits) for number in values.detach().double().tolist()]
    for number in numbers:
        if not 0 <= number < math.inf:
            raise ValueError(f"values: expected finite numbers from 0 on, got {number}")
    for n in mark:
        check_index("mark", n, len(labels))
    longest = max(1.0, *numbers)
    return Bars(name, labels, write(numbers, digits), [n / longest for n in numbers], list(mark))
