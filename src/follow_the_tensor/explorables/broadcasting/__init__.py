"""Two shapes, lined up from the right."""

import torch
import traitlets

from ..shared import bundle
from ..shared.base import Explorable, table


class Broadcasting(Explorable):
    """Type two shapes and see how they line up, or where they clash.

    Traits:
        left, right: two shapes, as lists of sizes
    """

    module = "broadcasting"
    _esm = bundle.widget_module(module)

    left = traitlets.List(traitlets.Int(min=0), [2, 6, 12]).tag(sync=True, state=True)
    right = traitlets.List(traitlets.Int(min=0), [1, 6, 12]).tag(sync=True, state=True)

    def compute(self):
        try:
            return {"shape": list(torch.broadcast_shapes(self.left, self.right))}
        except RuntimeError:
            return {"shape": None}

    def still(self):
        shapes = {"left": self.left, "right": self.right, "result": self.result["shape"] or []}
        axes = max(len(self.left), len(self.right))
        rows = [[""] * (axes - len(shape)) + shape for shape in shapes.values()]
        caption = "Two shapes, aligned from the right"
        if self.result["shape"] is None:
            caption += "; they clash, so there is no result"
        return table(caption, rows, shapes, range(-axes, 0))
