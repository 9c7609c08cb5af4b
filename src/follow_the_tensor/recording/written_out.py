"""What a reader can follow: attention with scores, mask, softmax and sum, and no compiler."""

import sys
import types
from contextlib import ExitStack, contextmanager
from functools import partial
from inspect import signature
from itertools import islice

import torch
from torch import nn

from ..attention import MultiHeadAttention
from ..attention_maps import attention_maps

SEARCHED = 100  # items of a list or an object that is handed over


@contextmanager
def written_out(function, inputs, keywords):
    """Let each MultiHeadAttention that a call can reach run line by line, not in one kernel.

    Each is asked for its weights, and its caller gets what it gets without this. What
    torch.compile has been given runs as it was written.
    """
    reached = {
        part: None
        for module in _modules(function, inputs, keywords)
        for part in module.modules()
        if isinstance(part, MultiHeadAttention)
    }
    with ExitStack() as stack:
        # Without the second, nothing has been compiled; without the first, torch is 2.5.
        if hasattr(torch.compiler, "set_stance") and "torch._dynamo" in sys.modules:
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        for part in reached:
            if "need_weights" in signature(part.forward).parameters:  # a reader's may have none
                stack.enter_context(attention_maps(part))
        yield


def _modules(function, inputs, keywords):
    """The modules that a function is, is bound to, is given, encloses or names."""
    while type(function) is partial:
        inputs, keywords = (*function.args, *inputs), {**function.keywords, **keywords}
        function = function.func
    if type(function) is types.MethodType:
        inputs, function = (function.__self__, *inputs), function.__func__
    given = [*inputs, *keywords.values()]
    found = [function, *given, *(part for each in given for part in _parts(each))]
    if type(function) is types.FunctionType:
        found += [function.__globals__.get(name) for name in function.__code__.co_names]
        found += [part for cell in function.__closure__ or () for part in _contents(cell)]
    return [each for each in found if issubclass(type(each), nn.Module) and _is_ready(each)]


def _parts(thing):
    if type(thing) in (list, tuple):
        return thing[:SEARCHED]
    if type(thing) is dict:
        return islice(thing.values(), SEARCHED)
    try:
        return islice(object.__getattribute__(thing, "__dict__").values(), SEARCHED)
    except AttributeError:  # a number, a tensor
        return ()


def _contents(cell):
    try:
        return [cell.cell_contents]
    except ValueError:  # it is filled later
        return []


def _is_ready(module):
    return "_modules" in object.__getattribute__(module, "__dict__")
