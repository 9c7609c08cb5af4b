"""Follow the Tensor: the parts of a Transformer, written to be read.

Dimension key, used in every comment and docstring of this package:

    B    batch size                 D     d_model, features of one position
    L    length of a sequence       H     num_heads
    Ls   length of the source       d_k   D // H, features of one head
    Lt   length of the target       d_ff  features inside the feed-forward
    Lq   number of queries          V     size of the vocabulary
    Lk   number of keys

Tensors are batch first. Masks are boolean, and True may attend.
"""

from .attention import MultiHeadAttention, scaled_dot_product_attention
from .attention_maps import attention_maps
from .dates.reader import load_date_reader
from .decoder import DecoderLayer
from .drawing.bars import bars
from .drawing.cells import cells
from .drawing.draw import draw
from .drawing.wiring import wiring
from .encoder import EncoderLayer
from .feed_forward import PositionWiseFeedForward
from .generation import generate
from .masks import causal_mask, expand_mask, padding_mask
from .positional import PositionalEncoding
from .reading import show_source, step_through
from .transformer import Transformer

__all__ = [
    "DecoderLayer",
    "EncoderLayer",
    "MultiHeadAttention",
    "PositionWiseFeedForward",
    "PositionalEncoding",
    "Transformer",
    "attention_maps",
    "bars",
    "causal_mask",
    "cells",
    "draw",
    "expand_mask",
    "generate",
    "load_date_reader",
    "padding_mask",
    "scaled_dot_product_attention",
    "show_source",
    "step_through",
    "wiring",
]
