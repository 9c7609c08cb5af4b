"""The positional table: its rows, its curves, and how alike two positions are."""

from ...positional import sinusoid_table
from ..shared.base import LARGEST, Explorable, Finite, Whole, plain, table


class Positions(Explorable):
    """Change the size of a positional table and see its numbers, curves and products.

    Traits:
        d_model: how many features a position has; odd sizes too
        length: how many positions
        base: 10000 in the paper; how much slower each pair of features turns
    """

    module = "positions"

    d_model = Whole(4, min=1, max=32).tag(sync=True, state=True)
    length = Whole(3, min=1, max=32).tag(sync=True, state=True)
    base = Finite(10000.0, min=1.0, max=LARGEST).tag(sync=True, state=True)

    @property
    def result(self):
        pe = sinusoid_table(self.length, self.d_model, self.base)  # [L, D]
        products = pe.double() @ pe.double().T  # [L, L]
        return {"table": plain(pe), "products": plain(products)}

    def still(self):
        rows = [f"position {row}" for row in range(self.length)]
        return table("Positional table", self.result["table"], rows, range(self.d_model))
