"""Scores to weights: exponentials, sums, quotients."""

import math

import torch
import traitlets

from ..shared.base import Choice, Explorable, Finite, Whole, check_grid, plain, table


class Softmax(Explorable):
    """Edit scores and see what softmax makes of them.

    Traits:
        scores: a grid of numbers, one row for each query and one column for each key
        d_k: the scores are divided by √d_k
        sharpness: the scores are multiplied by it; 1 changes nothing
        axis: -1, a row adds up to 1, or 0, a column does
    """

    module = "softmax"

    scores = traitlets.List([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]).tag(sync=True, state=True)
    d_k = Whole(1, min=1, max=256).tag(sync=True, state=True)
    sharpness = Finite(1.0, min=0.0, max=5.0).tag(sync=True, state=True)
    axis = Choice([-1, 0], default_value=-1).tag(sync=True, state=True)

    @property
    def result(self):
        scores = torch.tensor(self.scores, dtype=torch.float64)  # [Lq, Lk]
        scaled = scores / math.sqrt(self.d_k) * self.sharpness  # [Lq, Lk]
        largest = scaled.amax(dim=self.axis, keepdim=True)
        exponentials = torch.exp(scaled - largest)  # [Lq, Lk]
        return {
            "exponentials": plain(exponentials),
            "sums": plain(exponentials.sum(dim=self.axis)),
            "weights": plain(torch.softmax(scaled, dim=self.axis)),
        }

    def still(self):
        rows = [f"query {row}" for row in range(len(self.scores))]
        columns = [f"key {column}" for column in range(len(self.scores[0]))]
        scores = table("Scores", torch.tensor(self.scores), rows, columns, digits=1)
        return scores + table("Weights", torch.tensor(self.result["weights"]), rows, columns)

    @traitlets.validate("scores")
    def _check_scores(self, proposal):
        return check_grid("scores", proposal["value"], float)
