"""What all explorables share: synced state, an answer from the package, a readable still.

The view beside a class draws the state and computes what it draws, in Jupyter and in a page
alike. `result` is what the package's own functions give for the same state. A browser test
holds the two together.
"""

import contextlib
import html
import json
import math

import anywidget
import torch
import traitlets

from ...drawing import palette
from . import bundle

LARGEST = 1_000_000  # of any number, either way: what the fields of a page take (typed.js)


class Finite(traitlets.Float):
    """A float that is neither NaN nor infinite, for neither of which JSON has a name."""

    info_text = "a finite number"

    def validate(self, obj, value):
        try:
            value = super().validate(obj, value)
        except OverflowError:  # an integer that no float can hold
            self.error(obj, value)
        if not math.isfinite(value):
            self.error(obj, value)
        return value


class Whole(traitlets.Int):
    """An integer, and no bool, which is an int too."""

    info_text = "an integer"

    def validate(self, obj, value):
        if isinstance(value, bool):
            self.error(obj, value)
        return super().validate(obj, value)


class Choice(traitlets.Enum):
    """One of a few values, and nothing that merely equals one, as 0.0 and False equal 0."""

    def validate(self, obj, value):
        if not any(type(value) is type(each) and value == each for each in self.values):
            self.error(obj, value)
        return value


class Text(traitlets.Unicode):
    """A text that UTF-8 can hold, as every message and every file must."""

    info_text = "a text without lone surrogates"

    def validate(self, obj, value):
        value = super().validate(obj, value)
        if any("\ud800" <= character <= "\udfff" for character in value):
            self.error(obj, value)
        return value


class Explorable(anywidget.AnyWidget):
    """A widget whose view is an ES module beside the class.

    A subclass names its folder in `module`, declares its state as traits tagged
    `sync=True, state=True`, and defines `result` and `still`. Set a trait and the view
    follows; `observe` and `link` work as for any ipywidget.
    """

    module = None
    _css = palette.css() + bundle.stylesheet()

    # ipywidgets 7, which Colab has, shows itself through this method and would pass by ours.
    _ipython_display_ = None

    def __init_subclass__(cls, **keywords):
        if "module" in vars(cls):
            cls._esm = bundle.widget_module(cls.module)
        super().__init_subclass__(**keywords)

    def __init__(self, **state):
        unknown = sorted(set(state) - set(self.class_trait_names()))
        if unknown:
            known = ", ".join(sorted(self.class_trait_names(state=True)))
            raise TypeError(f"{unknown[0]}: expected one of the traits {known}")
        super().__init__(**state)
        self.add_class("explorable")  # what the stylesheet and the pages go by
        self.add_class("live")

    @property
    def result(self):
        """What the view computes, by the package: a dict of plain numbers, lists, strings.

        None where there is nothing to compute.
        """
        return None

    def still(self):
        """HTML of the initial state for print, for no script and for screen readers."""
        raise NotImplementedError

    def state(self):
        """The state as a dict, without the result: what a page starts from."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(state=True))}

    @contextlib.contextmanager
    def hold_trait_notifications(self):
        """Send what changes inside in one message: a view never sees half of it."""
        with self.hold_sync(), super().hold_trait_notifications():
            yield

    def _repr_mimebundle_(self, **keywords):
        data, metadata = super()._repr_mimebundle_(**keywords)
        # The default text holds an object address, which differs on every run.
        data["text/plain"] = f"{type(self).__name__}()"
        data["text/html"] = (
            f'<div class="explorable" data-module="{self.module}" '
            f'data-state="{html.escape(json.dumps(self.state(), ensure_ascii=False))}">\n'
            f"{self.still()}\n</div>"
        )
        return data, metadata


def plain(values):
    """A tensor as nested lists that JSON can carry: -inf, inf and nan become strings."""
    if isinstance(values, torch.Tensor):
        values = values.tolist()
    if isinstance(values, list):
        return [plain(value) for value in values]
    if isinstance(values, float) and not math.isfinite(values):
        return str(values)
    return values


def table(caption, grid, rows, columns, digits=4):
    """A grid of numbers as an HTML table for a still, rounded so that it is stable."""
    head = "".join(f'<th scope="col">{html.escape(str(name))}</th>' for name in columns)
    lines = [f"<caption>{html.escape(caption)}</caption>", f"<tr><td></td>{head}</tr>"]
    for name, values in zip(rows, plain(grid), strict=True):
        cells = "".join(f"<td>{_number(value, digits)}</td>" for value in values)
        lines.append(f'<tr><th scope="row">{html.escape(str(name))}</th>{cells}</tr>')
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def _number(value, digits):
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def check_grid(name, value, kind):
    """Return rows of numbers (`kind` float) or booleans (`kind` bool), all of one length.

    Raises:
        traitlets.TraitError: the rows differ in length, are empty, or hold something else.
    """
    widths = {len(row) if isinstance(row, list) else 0 for row in value}
    fits = len(widths) == 1 and 0 not in widths
    if not fits or not all(_is_a(kind, cell) for row in value for cell in row):
        values = "bool values" if kind is bool else f"numbers from {-LARGEST} to {LARGEST}"
        raise traitlets.TraitError(
            f"{name}: expected rows of one length with {values}, got {value}"
        )
    return value


def _is_a(kind, cell):
    if isinstance(cell, bool):  # which is an int too
        return kind is bool
    return kind is float and isinstance(cell, (int, float)) and abs(cell) <= LARGEST


def check_sizes(sizes):
    """Raise unless all traits in `sizes`, given as name -> size, have one size.

    Set several traits at once inside `with widget.hold_trait_notifications():`.

    Raises:
        traitlets.TraitError: the sizes differ.
    """
    if len(set(sizes.values())) != 1:
        given = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise traitlets.TraitError(
            f"expected the same size for all of these, got {given}; "
            "set them together inside hold_trait_notifications()"
        )
