"""Each of our layers beside its twin in PyTorch, with the same weights, inputs and masks."""

import re
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from ..attention import MultiHeadAttention, scaled_dot_product_attention
from ..decoder import DecoderLayer
from ..encoder import EncoderLayer
from ..feed_forward import PositionWiseFeedForward
from ..masks import causal_mask
from ..positional import PositionalEncoding
from ..transformer import Transformer
from .inputs import KINDS, VOCABULARY, draw, full_mask, make_mask, token_ids, two_masks


class Pair(NamedTuple):
    """Two callables that must give the same for `inputs`, each with options of its own."""

    ours: Callable
    theirs: Callable
    inputs: list
    our_options: dict = {}  # noqa: RUF012  never written to
    their_options: dict = {}  # noqa: RUF012


# Weights


def fill(module):
    """Give every parameter a value of its own, as after training."""
    with torch.no_grad():
        for n, (name, parameter) in enumerate(module.named_parameters()):
            parameter.copy_(0.3 * draw(*parameter.shape, seed=n))
            if parameter.dim() == 1 and name.endswith("weight"):
                parameter += 1  # of a norm
            if name.endswith("linear1.bias"):
                # At the kink of ReLU one rounding turns a gradient on or off.
                # So half of the units are far on its right, the others on its left.
                parameter[0::2] += 6
                parameter[1::2] -= 6
    return module


def torch_names(tensors):
    """Put tensors with our names under PyTorch's, W_q, W_k and W_v stacked to one.

    Takes a state dict, or gradients by name: a gradient moves as its weight.
    """
    theirs = {}
    for name, tensor in tensors.items():
        name = re.sub(r"^(encoder|decoder)\.", r"\1.layers.", name)
        name = re.sub(r"W_[qkv]\.", "in_proj_", name)
        name = name.replace("W_out", "out_proj")
        name = name.replace("cross_attn", "multihead_attn")
        name = name.replace("feed_forward.", "")
        theirs[name] = torch.cat([theirs[name], tensor]) if name in theirs else tensor
    return theirs


def copy_weights(ours, theirs):
    """Load our weights into PyTorch's layer; an error if one is missing or extra."""
    theirs = theirs.to(next(ours.parameters()).dtype)
    theirs.load_state_dict(torch_names(ours.state_dict()))
    return theirs


def twins(ours, theirs, dtype):
    ours = fill(ours).to(dtype)
    return ours, copy_weights(ours, theirs)


# PyTorch's side, where it takes more than one call


class NormByFormula(nn.LayerNorm):
    """Subtract the mean, divide by the root of the biased variance plus eps."""

    def forward(self, x):
        variance = x.var(dim=-1, correction=0, keepdim=True)  # [B, L, 1]
        x = (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(variance + self.eps)  # [B, L, D]
        return x * self.weight + self.bias  # [B, L, D]


class TorchTransformer(nn.Transformer):
    """nn.Transformer between embeddings and a vocabulary layer like ours."""

    def __init__(self, d_model, num_heads, d_ff, num_layers, src_vocab, tgt_vocab):
        sizes = (d_model, num_heads, d_ff, 0.0)
        encoder_layer = nn.TransformerEncoderLayer(*sizes, batch_first=True)
        decoder_layer = nn.TransformerDecoderLayer(*sizes, batch_first=True)
        # The stacks that nn.Transformer makes by itself end in one norm more than ours.
        super().__init__(
            d_model,
            num_heads,
            custom_encoder=nn.TransformerEncoder(
                encoder_layer, num_layers, enable_nested_tensor=False
            ),
            custom_decoder=nn.TransformerDecoder(decoder_layer, num_layers),
            batch_first=True,
        )
        self.src_embedding = nn.Embedding(src_vocab, d_model, padding_idx=0)
        self.tgt_embedding = nn.Embedding(tgt_vocab, d_model, padding_idx=0)
        self.position = PositionalEncoding(d_model, dropout=0.0, max_len=8)  # PyTorch has none
        self.to_logits = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt):
        hidden = super().forward(
            self.position(self.src_embedding(src) * self.d_model**0.5),
            self.position(self.tgt_embedding(tgt) * self.d_model**0.5),
            tgt_mask=~causal_mask(tgt.size(1)),  # True blocks, here and below
            src_key_padding_mask=src == 0,
            memory_key_padding_mask=src == 0,
            tgt_key_padding_mask=tgt == 0,
        )  # [B, Lt, D]
        return self.to_logits(hidden)  # [B, Lt, V]


# Pairs, each for one kind of mask, one set of sizes and one dtype


def floats(dtype, *shapes):
    return [draw(*shape, seed=n, dtype=dtype).requires_grad_() for n, shape in enumerate(shapes)]


def context_alone(Q, K, V, mask):
    return scaled_dot_product_attention(Q, K, V, mask)[0]


def attention_function(kind, sizes, dtype):
    B, Lq, Lk, D, H = sizes
    inputs = floats(dtype, (B, H, Lq, D // H), (B, H, Lk, D // H), (B, H, Lk, D // H))
    mask = make_mask(kind, B, H, Lq, Lk)
    # True may attend in PyTorch's function too.
    theirs = None if mask is None else full_mask(mask, B, H, Lq, Lk)
    options = {"mask": mask}, {"attn_mask": theirs}
    return Pair(context_alone, F.scaled_dot_product_attention, inputs, *options)


def attention(kind, sizes, dtype):
    B, Lq, Lk, D, H = sizes
    layers = twins(MultiHeadAttention(D, H), nn.MultiheadAttention(D, H, batch_first=True), dtype)
    inputs = floats(dtype, (B, Lq, D), (B, Lk, D), (B, Lk, D))
    mask, blocked = two_masks(kind, B, H, Lq, Lk)
    return Pair(*layers, inputs, {"mask": mask}, {"attn_mask": blocked, "need_weights": False})


def attention_and_weights(kind, sizes, dtype):
    pair = attention(kind, sizes, dtype)
    ours = {"need_weights": True}
    theirs = {"need_weights": True, "average_attn_weights": False}
    return pair._replace(
        our_options=pair.our_options | ours, their_options=pair.their_options | theirs
    )


def norm(kind, sizes, dtype, twin=nn.LayerNorm):
    B, L, _, D, H = sizes
    inside_a_layer = EncoderLayer(D, H, 2 * D).norm1
    return Pair(*twins(inside_a_layer, twin(D), dtype), floats(dtype, (B, L, D)))


def feed_forward(kind, sizes, dtype):
    B, L, _, D, _ = sizes
    ours = PositionWiseFeedForward(D, 2 * D, dropout=0.0)
    theirs = OrderedDict(linear1=nn.Linear(D, 2 * D), relu=nn.ReLU(), linear2=nn.Linear(2 * D, D))
    return Pair(*twins(ours, nn.Sequential(theirs), dtype), floats(dtype, (B, L, D)))


def encoder_layer(kind, sizes, dtype):
    B, L, _, D, H = sizes
    ours = EncoderLayer(D, H, 2 * D, dropout=0.0)
    theirs = nn.TransformerEncoderLayer(D, H, 2 * D, dropout=0.0, batch_first=True)
    mask, blocked = two_masks(kind, B, H, L, L)
    options = {"mask": mask}, {"src_mask": blocked}
    return Pair(*twins(ours, theirs, dtype), floats(dtype, (B, L, D)), *options)


def decoder_layer(kind, sizes, dtype):
    B, Lt, Ls, D, H = sizes
    ours = DecoderLayer(D, H, 2 * D, dropout=0.0)
    theirs = nn.TransformerDecoderLayer(D, H, 2 * D, dropout=0.0, batch_first=True)
    tgt_mask, tgt_blocked = two_masks(kind, B, H, Lt, Lt)
    src_mask, src_blocked = two_masks(kind, B, H, Lt, Ls)
    options = (
        {"src_mask": src_mask, "tgt_mask": tgt_mask},
        {"memory_mask": src_blocked, "tgt_mask": tgt_blocked},
    )
    return Pair(*twins(ours, theirs, dtype), floats(dtype, (B, Lt, D), (B, Ls, D)), *options)


def transformer(kind, sizes, dtype):
    """Both models make their masks from the ids, and the target's is always causal."""
    B, Lt, Ls, D, H = sizes
    vocabularies = VOCABULARY, VOCABULARY
    ours = Transformer(*vocabularies, D, H, 2 * D, num_layers=2, dropout=0.0, max_len=8)
    theirs = TorchTransformer(D, H, 2 * D, 2, *vocabularies)
    return Pair(*twins(ours, theirs, dtype), [token_ids(kind, B, Ls), token_ids(kind, B, Lt)])


class Row(NamedTuple):
    """A row of the table: what makes the pair, and the kinds of mask that it takes."""

    make_pair: Callable
    kinds: tuple = KINDS


ROWS = {
    "scaled_dot_product_attention": Row(attention_function),
    "MultiHeadAttention": Row(attention),
    # PyTorch's layer gives NaN here for an empty row. Our path that gives weights is held
    # against its other path, in the row above.
    "MultiHeadAttention and weights": Row(attention_and_weights),
    "LayerNorm": Row(norm, ("none",)),
    "LayerNorm, formula": Row(partial(norm, twin=NormByFormula), ("none",)),
    "PositionWiseFeedForward": Row(feed_forward, ("none",)),
    "EncoderLayer": Row(encoder_layer),
    "DecoderLayer": Row(decoder_layer),
    "Transformer": Row(
        transformer, ("causal", "padding and causal", "one empty row", "all rows empty")
    ),
}
