"""What the property tests draw: sizes, dtypes, masks of every accepted form, and calls of layers.

Hypothesis draws the sizes, the form and a seed; the seed gives the numbers, so that an
example prints short and comes back whole.
"""

import copy
from dataclasses import dataclass, field, replace

import torch
from hypothesis import strategies as st
from torch import nn

from follow_the_tensor import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    PositionalEncoding,
    PositionWiseFeedForward,
    Transformer,
)
from tests.support.helpers import DTYPES, draw, fill

MAX_LEN, VOCAB = 12, 9
PAD = 3  # not the default, so that a place that forgets it is found
seeds = st.integers(0, 2**32 - 1)
batches, lengths = st.integers(1, 3), st.integers(1, 5)
# num_heads and d_k. A LayerNorm over fewer than four features may divide by next to nothing.
head_sizes = st.sampled_from([(1, 4), (1, 5), (2, 3), (3, 3), (4, 2)])
dtypes = st.sampled_from(DTYPES)
precise = st.sampled_from([torch.float64, torch.float32])
integers = st.sampled_from([torch.uint8, torch.int32, torch.int64])


@st.composite
def masks(draw_from, B, H, Lq, Lk):
    """None, or a mask of 2, 3 or 4 axes, boolean or of integers, with empty rows or without."""
    sizes = (B, H, Lq, Lk)
    four = tuple(draw_from(st.sampled_from([1, size])) for size in sizes)
    shape = draw_from(st.sampled_from([None, (Lq, Lk), (B, Lq, Lk), four, sizes]))
    if shape is None:
        return None
    generator = torch.Generator().manual_seed(draw_from(seeds))
    mask = torch.rand(shape, generator=generator) < draw_from(st.sampled_from([0.6, 0.3, 0.0, 1.0]))
    if draw_from(st.booleans()):
        mask[..., 0, :] = False  # the first query may attend to nothing
    if draw_from(st.booleans()):
        return mask
    return mask.to(draw_from(integers)) * draw_from(st.sampled_from([1, 2]))


def allowed(mask, sizes):
    """What a mask says, spelled out: [B, H, Lq, Lk], True where query may attend to key."""
    B, _, Lq, Lk = sizes
    if mask is None:
        return torch.ones(sizes, dtype=torch.bool)
    shape = {2: (1, 1, Lq, Lk), 3: (B, 1, Lq, Lk), 4: mask.shape}[mask.dim()]
    return mask.bool().view(shape).expand(sizes)


@dataclass
class Call:
    """A layer, and what it is called with: `inputs` have the batch first."""

    layer: nn.Module = field(repr=False)
    inputs: tuple
    masks: tuple = ()
    options: dict = field(default_factory=dict)

    @property
    def tensors(self):
        return [x for x in (*self.inputs, *self.masks) if x is not None]

    def to(self, device, masks_too=True):
        """The same call with a copy of the layer on another device; not all know float64."""
        layer, options = copy.deepcopy(self.layer).to("cpu"), {"device": device}
        if device == "mps" and any(p.dtype == torch.float64 for p in layer.state_dict().values()):
            options["dtype"] = torch.float32
        masks = (m if m is None or not masks_too else m.to(device) for m in self.masks)
        inputs = (
            x.to(device) if not x.is_floating_point() else x.to(**options) for x in self.inputs
        )
        return replace(self, layer=layer.to(**options), inputs=(*inputs,), masks=(*masks,))

    def outputs(self, layer=None, inputs=None, masks=None, **options):
        """What comes out, as a tuple, when some parts of the call are replaced."""
        layer = self.layer if layer is None else layer
        inputs = self.inputs if inputs is None else inputs
        masks = self.masks if masks is None else masks
        output = layer(*inputs, *masks, **(self.options | options))
        return output if isinstance(output, tuple) else (output,)


@st.composite
def calls(draw_from, name, dtypes=dtypes):
    """A call of the layer with that name, one of LAYERS."""
    B, Lq, Lk = draw_from(batches), draw_from(lengths), draw_from(lengths)
    (H, d_k), d_ff = draw_from(head_sizes), draw_from(st.integers(1, 8))
    D, dtype, seed = H * d_k, draw_from(dtypes), draw_from(seeds)

    def features(length, n):
        return draw(B, length, D, seed=seed + n, dtype=dtype)

    def ids(length, n):
        generator = torch.Generator().manual_seed(seed + n)
        return torch.randint(0, VOCAB, (B, length), generator=generator)  # PAD anywhere

    def call(layer, *args, **more):
        return Call(fill(layer).to(dtype), *args, **more)

    match name:
        case "PositionalEncoding":
            return call(PositionalEncoding(D, 0.0, MAX_LEN), (features(Lq, 0),))
        case "PositionWiseFeedForward":
            return call(PositionWiseFeedForward(D, d_ff, 0.0), (features(Lq, 0),))
        case "EncoderLayer":
            mask = draw_from(masks(B, H, Lq, Lq))
            return call(EncoderLayer(D, H, d_ff, 0.0), (features(Lq, 0),), (mask,))
        case "DecoderLayer":
            both = draw_from(masks(B, H, Lq, Lk)), draw_from(masks(B, H, Lq, Lq))
            return call(DecoderLayer(D, H, d_ff, 0.0), (features(Lq, 0), features(Lk, 1)), both)
        case "Transformer":
            sizes = VOCAB, VOCAB, D, H, d_ff, draw_from(st.integers(1, 2))
            return call(Transformer(*sizes, 0.0, MAX_LEN, PAD), (ids(Lk, 0), ids(Lq, 1)))
    QKV = features(Lq, 0), features(Lk, 1), features(Lk, 2)
    options = {
        "need_weights": name == "MultiHeadAttention, weights",
        "is_causal": draw_from(st.booleans()),
    }
    return call(MultiHeadAttention(D, H), QKV, (draw_from(masks(B, H, Lq, Lk)),), options=options)


ATTENTIONS = ["MultiHeadAttention", "MultiHeadAttention, weights"]
LAYERS = [
    "PositionalEncoding",
    "PositionWiseFeedForward",
    *ATTENTIONS,
    "EncoderLayer",
    "DecoderLayer",
    "Transformer",
]
