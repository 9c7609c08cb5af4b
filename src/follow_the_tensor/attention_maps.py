"""Attention weights of a whole model, from the very pass that used them."""

from contextlib import contextmanager
from inspect import signature

from .attention import MultiHeadAttention


@contextmanager
def attention_maps(model):
    """Collect the weights of every MultiHeadAttention that runs inside the block.

    Hooks ask each attention for its weights and hand the caller the plain output, so
    the layers need no code for it. A module that runs twice gives two entries.

        with attention_maps(layer) as maps:
            layer(x, mask)
        maps["self_attn"][0]  # [B, H, Lq, Lk]

    Yields a dict: name of the module inside `model` -> list of weights, in calling order.
    """
    maps, wanted, handles = {}, [], []

    def ask(module, args, kwargs):
        try:
            named = signature(module.forward).bind(*args, **kwargs).arguments
        except TypeError:
            return None  # the call fails, and forward says so in its own words
        wanted.append(named.get("need_weights", False))
        return args[:4], {**kwargs, "need_weights": True}

    def collect(name):
        def hook(module, args, result):
            output, weights = result
            maps.setdefault(name, []).append(weights.detach())
            return result if wanted.pop() else output

        return hook

    for name, module in model.named_modules():
        if isinstance(module, MultiHeadAttention):
            handles.append(module.register_forward_pre_hook(ask, with_kwargs=True))
            # Of two blocks around one call, the inner one must answer first.
            handles.append(module.register_forward_hook(collect(name), prepend=True))
    try:
        yield maps
    finally:
        for handle in handles:
            handle.remove()
