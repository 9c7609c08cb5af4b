"""A mask, the scores it leaves, and the weights that come of them."""

import torch
import traitlets

from ...attention import masked_softmax
from ..shared.base import LARGEST, Choice, Explorable, Whole, check_grid, check_sizes, plain, table

BLOCKED_SCORES = {
    "-inf": float("-inf"),
    "-1e9": -1e9,
    "finfo.min": torch.finfo(torch.float32).min,
}


class Masks(Explorable):
    """Click the cells of a mask and see scores, weights and row sums change.

    Traits:
        scores: numbers [Lq, Lk]
        cells: booleans [Lq, Lk], the mask before padding and causality
        real_keys: how many keys are real; the rest is padding
        causal: whether a query sees no key after its own position
        convention: "keeps", True may attend, or "blocks", True may not
        treatment: what blocked scores go through: "masked_softmax", "-inf", "-1e9" or
            "finfo.min", the lowest float32
    """

    module = "masks"

    scores = traitlets.List([[2.0, 1.0, 0.0], [3.0, 2.0, 1.0]]).tag(sync=True, state=True)
    cells = traitlets.List([[True, False, True], [False, False, False]]).tag(sync=True, state=True)
    real_keys = Whole(3, min=0, max=LARGEST).tag(sync=True, state=True)
    causal = traitlets.Bool(False).tag(sync=True, state=True)
    convention = Choice(["keeps", "blocks"], "keeps").tag(sync=True, state=True)
    treatment = Choice(["masked_softmax", *BLOCKED_SCORES], "masked_softmax").tag(
        sync=True, state=True
    )

    @property
    def result(self):
        scores = torch.tensor(self.scores, dtype=torch.float64)  # [Lq, Lk]
        mask = self.mask()  # [Lq, Lk]
        if self.treatment == "masked_softmax":
            filled = scores.masked_fill(~mask, float("-inf"))  # [Lq, Lk]
            weights = masked_softmax(scores, mask)  # [Lq, Lk]
        else:
            filled = scores.masked_fill(~mask, BLOCKED_SCORES[self.treatment])  # [Lq, Lk]
            weights = torch.softmax(filled, dim=-1)  # [Lq, Lk]
        return {
            "mask": plain(mask),
            "filled": plain(filled),
            "weights": plain(weights),
            "sums": plain(weights.sum(dim=-1)),
        }

    def mask(self):
        """The mask that takes effect: a boolean tensor [Lq, Lk] where True may attend."""
        cells = torch.tensor(self.cells)  # [Lq, Lk]
        mask = cells if self.convention == "keeps" else ~cells
        mask = mask & (torch.arange(mask.size(1)) < self.real_keys)
        return mask.tril() if self.causal else mask

    def still(self):
        rows = [f"query {row}" for row in range(len(self.scores))]
        columns = [f"key {column}" for column in range(len(self.scores[0]))]
        return (
            table("Mask", self.mask(), rows, columns)
            + table("Scores", torch.tensor(self.scores), rows, columns, digits=1)
            + table("Weights", self.result["weights"], rows, columns)
        )

    @traitlets.validate("scores", "cells")
    def _check(self, proposal):
        name = proposal["trait"].name
        value = check_grid(name, proposal["value"], bool if name == "cells" else float)
        grids = {"scores": self.scores, "cells": self.cells, name: value}
        check_sizes({name: (len(grid), len(grid[0])) for name, grid in grids.items()})
        return value
