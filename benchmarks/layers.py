"""Our attention beside PyTorch's own and beside the formula written out: time and memory."""

import torch
from torch import nn

from follow_the_tensor import MultiHeadAttention, causal_mask

from .table import Row, alternate

TITLE = "Attention, forward and backward, causal mask"
SIZES = {128: (8, 256, 8, 40), 512: (2, 512, 8, 40), 2048: (1, 512, 8, 15)}  # L: B, D, H, rounds


def times(L):
    """Median seconds of our layer, of PyTorch's, and of ours written out."""
    B, D, H, rounds = SIZES[L]
    ours = MultiHeadAttention(D, H)
    theirs = nn.MultiheadAttention(D, H, batch_first=True)
    x, mask = torch.randn(B, L, D, requires_grad=True), causal_mask(L)
    return alternate(
        rounds,
        lambda: ours(x, x, x, mask).sum().backward(),
        lambda: theirs(x, x, x, attn_mask=~mask, need_weights=False)[0].sum().backward(),
        lambda: ours(x, x, x, mask, need_weights=True)[0].sum().backward(),
    )


def kept_bytes(attention, length, need_weights):
    """Bytes that the graph of one pass keeps for backward, weights aside."""
    x, kept = torch.randn(2, length, attention.d_model, requires_grad=True), {}
    weights = {p.untyped_storage().data_ptr() for p in attention.parameters()}

    def pack(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = attention(x, x, x, need_weights=need_weights)
        assert output is not None  # alive: no storage was freed and counted twice
    return sum(kept.values())


def rows():
    for L, (B, D, H, rounds) in SIZES.items():
        fused, theirs, written_out = (1000 * time for time in times(L))
        what, how = f"L = {L}", f"{rounds} rounds in turns; B = {B}, D = {D}, H = {H}"
        yield Row(what, fused, "ms", how, "nn.MultiheadAttention", theirs)
        yield Row(what, fused, "ms", how, "ours, written out", written_out)
    attention = MultiHeadAttention(64, 4)
    for name, need_weights in (("fused", False), ("written out", True)):
        half, whole = (kept_bytes(attention, L, need_weights) / 1e6 for L in (512, 1024))
        what = f"kept for backward at L = 1024, {name}"
        how = "counted; B = 2, D = 64, H = 4, no mask"
        yield Row(what, whole, "MB", how, "at L = 512", half)
