"""What all explorables share: synced state, an answer from the package, a readable still.

In Jupyter the class below is a widget: the view sets a trait, `compute` answers with the
package's own functions, and the view draws `result`. In a page without a kernel the
module's own `compute` gives the same `result`. A browser test holds the two together.
"""

import html
import json
import math

import anywidget
import torch
import traitlets

from ...drawing import palette
from . import bundle


class Finite(traitlets.Float):
    """A float that is neither NaN nor infinite, for neither of which JSON has a name."""

    info_text = "a finite number"

    def validate(self, obj, value):
        value = super().validate(obj, value)
        if not math.isfinite(value):
            self.error(obj, value)
        return value


class Explorable(anywidget.AnyWidget):
    """A widget whose view is an ES module beside the class.

    A subclass names the module in `module`, sets `_esm` to its text, declares its state as
    traits tagged `sync=True, state=True`, and defines `compute` and `still`. Set a trait and
    the view follows; `observe` and `link` work as for any ipywidget.
    """

    module = None
    _css = palette.css() + bundle.stylesheet()

    result = traitlets.Dict().tag(sync=True)

    # ipywidgets 7, which Colab has, shows itself through this method and would pass by ours.
    _ipython_display_ = None

    def __init__(self, **state):
        unknown = sorted(set(state) - set(self.class_trait_names()))
        if unknown:
            known = ", ".join(sorted(self.class_trait_names(state=True)))
            raise TypeError(f"{unknown[0]}: expected one of the traits {known}")
        super().__init__(**state)
        self.add_class("explorable")  # what the stylesheet and the pages go by
        self.add_class("live")
        self.observe(self._refresh, names=self.trait_names(state=True))
        self._refresh()

    def compute(self):
        """What the view draws, as a dict of plain numbers, lists and strings."""
        raise NotImplementedError

    def still(self):
        """HTML of the initial state for print, for no script and for screen readers."""
        raise NotImplementedError

    def state(self):
        """The state as a dict, without the result: what a page starts from."""
        return {name: getattr(self, name) for name in sorted(self.trait_names(state=True))}

    def _refresh(self, change=None):
        self.result = self.compute()

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
    if not fits or not all(
        _is_a(kind, cell) and math.isfinite(cell) for row in value for cell in row
    ):
        raise traitlets.TraitError(
            f"{name}: expected rows of one length with finite {kind.__name__} values, got {value}"
        )
    return value


def _is_a(kind, cell):
    if isinstance(cell, bool):  # which is an int too
        return kind is bool
    return kind is float and isinstance(cell, (int, float))


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
