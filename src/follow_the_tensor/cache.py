"""A key/value cache for generation, hung onto the layers from outside."""

from contextlib import contextmanager

import torch

from .hooks import uncompiled


class KeyValueCache:
    """What W_k and W_v have made so far, for each attention of the decoder layers.

    Shapes:
        stored: dict from the projection (W_k or W_v) to its outputs [B, Lk, D]
    """

    def __init__(self):
        self.stored = {}

    def append(self, projection, args, output):
        """A forward hook: put what is new behind what is stored, and return both."""
        if projection in self.stored:
            output = torch.cat([self.stored[projection], output], dim=1)  # [B, Lk, D]
        self.stored[projection] = output
        return output

    def skip_if_stored(self, projection, args):
        """A forward pre-hook: the memory never changes, so it is projected once."""
        (memory,) = args
        return (memory[:, :0],) if projection in self.stored else args  # [B, 0, D]

    def reorder(self, rows):
        """Follow the beams: row n goes on from what was row rows[n]."""
        for projection, output in self.stored.items():
            self.stored[projection] = output[rows]


@contextmanager
def key_value_cache(decoder_layers):
    """Let decoder layers remember their keys and values inside the block.

    Inside it, a layer is called with one new position at a time and without a causal
    mask: what came later is not in the cache yet. The hooks sit on W_k and W_v, so
    the layers run their own forward and need no code for this.

    Yields a KeyValueCache.
    """
    cache = KeyValueCache()
    handles = []
    for layer in decoder_layers:
        for attention in (layer.self_attn, layer.cross_attn):
            for projection in (attention.W_k, attention.W_v):
                handles.append(projection.register_forward_hook(cache.append))
                if attention is layer.cross_attn:
                    skip = projection.register_forward_pre_hook(cache.skip_if_stored)
                    handles.append(skip)
    try:
        with uncompiled():
            yield cache
    finally:
        for handle in handles:
            handle.remove()
