"""The whole encoder-decoder on one page: every shape and every parameter count."""

import torch
from torch import nn

from ... import shapes
from ...attention import MultiHeadAttention
from ...decoder import DecoderLayer
from ...encoder import EncoderLayer
from ...feed_forward import PositionWiseFeedForward
from ..shared.base import Explorable, Text, Whole, table

SIZES = {"min": 1, "max": 100_000}  # so that no count is too large for JavaScript


class ModelMap(Explorable):
    """Change the sizes of a model and read the shape on every arrow.

    Traits:
        B, Ls, Lt, D, H, d_ff, V: the sizes of the dimension key
        layers: how many layers each stack has
        chapters: what stands in front of a chapter's name in a link
        suffix: what stands behind it
    """

    module = "model_map"

    B = Whole(2, **SIZES).tag(sync=True, state=True)
    Ls = Whole(6, **SIZES).tag(sync=True, state=True)
    Lt = Whole(4, **SIZES).tag(sync=True, state=True)
    D = Whole(12, **SIZES).tag(sync=True, state=True)
    H = Whole(3, **SIZES).tag(sync=True, state=True)
    d_ff = Whole(24, **SIZES).tag(sync=True, state=True)
    V = Whole(32, **SIZES).tag(sync=True, state=True)
    layers = Whole(1, min=1, max=1000).tag(sync=True, state=True)
    chapters = Text("").tag(sync=True, state=True)
    suffix = Text(".ipynb").tag(sync=True, state=True)

    @property
    def result(self):
        try:
            shapes.check_heads(self.D, self.H)
        except ValueError as error:
            return {"error": str(error)}
        D, H, d_ff = self.D, self.H, self.d_ff
        with torch.device("meta"):  # parameters without memory: only their sizes matter
            counts = {
                "embedding": _count(nn.Embedding(self.V, D)),
                "attention": _count(MultiHeadAttention(D, H)),
                "feed_forward": _count(PositionWiseFeedForward(D, d_ff)),
                "norm": _count(nn.LayerNorm(D)),
                "encoder_layer": _count(EncoderLayer(D, H, d_ff)),
                "decoder_layer": _count(DecoderLayer(D, H, d_ff)),
                "head": _count(nn.Linear(D, self.V)),
            }
        per_layer = counts["encoder_layer"] + counts["decoder_layer"]
        total = 2 * counts["embedding"] + self.layers * per_layer + counts["head"]
        return {"error": "", "counts": counts | {"total": total}}

    def still(self):
        counts = self.result.get("counts", {})
        return table("Parameters", [[count] for count in counts.values()], counts, ["count"])


def _count(module):
    return sum(parameter.numel() for parameter in module.parameters())
