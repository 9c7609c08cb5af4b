"""Attention weights of a whole model, from the very pass that used them."""

from contextlib import contextmanager

from .attention import MultiHeadAttention
from .hooks import uncompiled


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
        if len(args) > 4:  # Q, K, V, mask, need_weights
            wanted.append(args[4])
            return (*args[:4], True, *args[5:]), kwargs
        wanted.append(kwargs.get("need_weights", False))
        return args, {**kwargs, "need_weights": True}

    def collect(name):
        name = name.removeprefix("_orig_mod").removeprefix(".")  # of torch.compile

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
        with uncompiled():
            yield maps
    finally:
        for handle in handles:
            handle.remove()
