"""One token through a residual sum, dropout and LayerNorm."""

import torch
import torch.nn.functional as F
import traitlets

from ..shared.base import Choice, Explorable, Finite, check_grid, check_sizes, plain, table

EPSILON = 1e-5  # the default of torch.nn.LayerNorm


class LayerNorm(Explorable):
    """Edit a token and what a sublayer adds to it, and see sum and norm in either order.

    Traits:
        token: the features of one token before the sublayer
        sublayer: what the sublayer gives for that token
        order: "post", norm after the sum, or "pre", norm in front of the sublayer
        variance: "biased", divided by D as LayerNorm does, or "unbiased", by D - 1
        rate: the dropout rate
        training: whether dropout draws; in evaluation it passes everything
        kept: which features the last draw of dropout kept
    """

    module = "layer_norm"

    token = traitlets.List([1.0, 3.0]).tag(sync=True, state=True)
    sublayer = traitlets.List([9.0, 11.0]).tag(sync=True, state=True)
    order = Choice(["post", "pre"], "post").tag(sync=True, state=True)
    variance = Choice(["biased", "unbiased"], "biased").tag(sync=True, state=True)
    rate = Finite(0.5, min=0.0, max=0.9).tag(sync=True, state=True)
    training = traitlets.Bool(False).tag(sync=True, state=True)
    kept = traitlets.List([True, False]).tag(sync=True, state=True)

    @property
    def result(self):
        token = torch.tensor(self.token, dtype=torch.float64)  # [D]
        sublayer = torch.tensor(self.sublayer, dtype=torch.float64)  # [D]
        dropped = (
            sublayer * torch.tensor(self.kept) / (1 - self.rate) if self.training else sublayer
        )
        total = token + dropped  # [D]
        into_norm = total if self.order == "post" else token  # [D]
        return {
            "dropped": plain(dropped),
            "total": plain(total),
            "mean": into_norm.mean().item(),
            "variance": into_norm.var(correction=int(self.variance == "unbiased")).item(),
            "normed": plain(self._norm(into_norm)),
        }

    def _norm(self, x):
        if self.variance == "biased":
            return F.layer_norm(x, x.shape, eps=EPSILON)
        return (x - x.mean()) / torch.sqrt(x.var(correction=1) + EPSILON)

    def still(self):
        names = ("token", "sublayer", "token + sublayer", "LayerNorm of the sum")
        result = self.result
        values = (self.token, self.sublayer, result["total"], result["normed"])
        features = [f"feature {n}" for n in range(len(self.token))]
        return table(
            "One token, Post-LN", [list(map(float, row)) for row in values], names, features
        )

    @traitlets.validate("token", "sublayer", "kept")
    def _check(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        check_grid(name, [value], bool if name == "kept" else float)
        if len(value) < 2:
            raise traitlets.TraitError(f"{name}: expected at least 2 features, got {value}")
        lines = {"token": self.token, "sublayer": self.sublayer, "kept": self.kept, name: value}
        check_sizes({name: len(line) for name, line in lines.items()})
        return value
