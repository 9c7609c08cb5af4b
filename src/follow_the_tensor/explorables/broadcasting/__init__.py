"""Two shapes, lined up from the right."""

import torch
import traitlets

from ..shared.base import LARGEST, Explorable, Whole, table

MOST_AXES = 6  # also in view.js
SIZE = Whole(min=0, max=LARGEST)


class Broadcasting(Explorable):
    """Type two shapes and see how they line up, or where they clash.

    Traits:
        left, right: two shapes, as lists of at most 6 sizes
    """

    module = "broadcasting"

    left = traitlets.List(SIZE, [2, 6, 12], maxlen=MOST_AXES).tag(sync=True, state=True)
    right = traitlets.List(SIZE, [1, 6, 12], maxlen=MOST_AXES).tag(sync=True, state=True)

    @property
    def result(self):
        try:
            return {"shape": list(torch.broadcast_shapes(self.left, self.right))}
        except RuntimeError:
            return {"shape": None}

    def still(self):
        shape = self.result["shape"]
        shapes = {"left": self.left, "right": self.right, "result": shape or []}
        axes = max(len(self.left), len(self.right))
        rows = [[""] * (axes - len(shape)) + shape for shape in shapes.values()]
        caption = "Two shapes, aligned from the right"
        if shape is None:
            caption += "; they clash, so there is no result"
        return table(caption, rows, shapes, range(-axes, 0))
