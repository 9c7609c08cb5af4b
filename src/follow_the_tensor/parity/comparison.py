"""Hold every layer against PyTorch's own, forward and backward, and say how far apart they are.

The unit is eps, the distance from 1 to the next number that a dtype can hold.
"""

import math
from contextlib import nullcontext

import torch
from torch import nn

from ..attention_maps import attention_maps
from ..shapes import check_floats
from .inputs import SIZES, draw
from .twins import ROWS, torch_names

# In eps. One operation rounds by at most eps / 2. A value or gradient has some hundred of them
# behind it, up to 30 in each sum, and most cancel. The dtypes of 16 bits add up in float32 and
# round the sum once, so a quarter is enough for them.
TOLERANCE = {torch.float64: 64, torch.float32: 64, torch.float16: 16, torch.bfloat16: 16}


def gradients(outputs, inputs):
    """Gradients of a sum of `outputs`, each element with a weight of its own."""
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else outputs
    weights = [draw(*output.shape, seed=9, dtype=output.dtype) for output in outputs]
    return torch.autograd.grad(outputs, inputs, weights, retain_graph=True)


def results(layer, inputs, options):
    """By name, what a layer gives and the gradients of its inputs and parameters."""
    outputs = layer(*inputs, **options)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    outputs = [output for output in outputs if output is not None]
    sources = {f"input {n}": x for n, x in enumerate(inputs) if x.requires_grad}
    if isinstance(layer, nn.Module):
        sources |= dict(layer.named_parameters())
    names = [*(f"output {n}" for n in range(len(outputs))), *sources]
    tensors = [*outputs, *gradients(outputs, [*sources.values()])]
    return dict(zip(names, tensors, strict=True))


def distance(ours, theirs):
    """The largest |ours - theirs|, in eps of the largest number of theirs or of 1."""
    check_floats("ours", ours, *theirs.shape, like=theirs)
    scale = theirs.abs().max().clamp(min=1).double()
    largest = (ours.double() - theirs.double()).abs().max()
    return (largest / scale / torch.finfo(theirs.dtype).eps).item()


def difference(pair, written_out=False):
    """The largest distance in outputs and gradients; NaN if there is one.

    With `written_out`, attention of ours runs the formula and not the fused kernel.
    """
    with attention_maps(pair.ours) if written_out else nullcontext():
        ours = torch_names(results(pair.ours, pair.inputs, pair.our_options))
    theirs = results(pair.theirs, pair.inputs, pair.their_options)
    # A name that only one of the two has is a KeyError.
    names = ours.keys() | theirs.keys()
    return largest(distance(ours[name], theirs[name]) for name in names)


def largest(numbers):
    """The maximum, and NaN if there is one; `max` alone may lose it."""
    return torch.tensor([*numbers], dtype=torch.float64).max().item()


def compare(name, kind, dtype):
    """All differences of a row of the table: by sizes, and both of our paths."""
    found = {}
    for sizes in SIZES:
        pair = ROWS[name].make_pair(kind, SIZES[sizes], dtype)
        found[sizes, "fused"] = difference(pair)
        if isinstance(pair.ours, nn.Module):
            found[sizes, "written out"] = difference(pair, written_out=True)
    return found


def rounded_up(difference, dtype):
    """The power k of two with difference <= 2**k eps: the tolerance, or 6, 12 … more.

    What a machine computes differs in the last digits from what another does. Steps
    this wide hide it. NaN stays NaN.
    """
    if not math.isfinite(difference):
        return math.nan
    power = int(math.log2(TOLERANCE[dtype]))
    while difference > 2**power:
        power += 6
    return power
