"""Four ways from logits to a distribution, and the draw of an id from one.

The logarithm of a distribution serves as logits again, so the ways can follow one another:
`top_p(top_k(logits, 10).log(), 0.9)`.
"""

import torch

from ..shapes import check_floats, check_positive, check_probability, check_size


def greedy(logits):
    """Give the whole probability to the id with the largest logit.

    Shapes:
        logits: [..., V]    returns: [..., V]

    Raises:
        TypeError, ValueError: `logits` is no tensor of floating numbers with an axis V.
    """
    _check(logits)
    best = logits.argmax(dim=-1, keepdim=True)  # [..., 1]
    return torch.zeros_like(logits).scatter(-1, best, 1.0)  # [..., V]


def with_temperature(logits, temperature):
    """Divide the logits before the softmax: below 1 sharpens, above 1 flattens.

    Shapes:
        logits: [..., V]    returns: [..., V]

    Raises:
        TypeError, ValueError: `logits` as above, or `temperature` is not positive.
    """
    _check(logits)
    check_positive("temperature", temperature)
    return torch.softmax(logits / temperature, dim=-1)  # [..., V]


def top_k(logits, k):
    """Keep the k most probable ids; of equal ones the lower id.

    From "Hierarchical Neural Story Generation".

    Shapes:
        logits: [..., V]    returns: [..., V]

    Raises:
        TypeError, ValueError: `logits` as above, or `k` is no positive integer.
    """
    _check(logits)
    check_size("k", k)
    best_first = logits.argsort(dim=-1, descending=True, stable=True)  # [..., V]
    dropped = torch.ones_like(logits, dtype=torch.bool)  # [..., V]
    dropped = dropped.scatter(-1, best_first[..., :k], False)  # [..., V]
    return logits.masked_fill(dropped, float("-inf")).softmax(dim=-1)  # [..., V]


def top_p(logits, p):
    """Keep the most probable ids, as few as reach the probability p together.

    From "The Curious Case of Neural Text Degeneration", as nucleus sampling.

    Shapes:
        logits: [..., V]    returns: [..., V]

    Raises:
        TypeError, ValueError: `logits` as above, or `p` is no number in [0, 1].
    """
    _check(logits)
    check_probability("p", p)
    falling, order = logits.softmax(dim=-1).sort(dim=-1, descending=True, stable=True)
    before = falling.cumsum(dim=-1) - falling  # [..., V], the sum of the better ones
    enough = before >= p
    enough[..., 0] = False  # the best id stays, whatever p is
    dropped = torch.ones_like(enough).scatter(-1, order, enough)  # [..., V], by id again
    return logits.masked_fill(dropped, float("-inf")).softmax(dim=-1)  # [..., V]


def pick(probabilities, u):
    """Choose the id on which u falls when the probabilities lie end to end.

    A random u from [0, 1) chooses each id as often as its probability says.

    Shapes:
        probabilities: [..., V]    u: [..., 1]    returns: [..., 1]

    Raises:
        ValueError: there is a NaN among the probabilities.
    """
    ends = probabilities.double().cumsum(dim=-1)  # [..., V]
    if ends.isnan().any():
        raise ValueError("probabilities: expected numbers, got NaN")
    return (ends <= u * ends[..., -1:]).sum(dim=-1, keepdim=True)  # the last end is not quite 1


def _check(logits):
    free = logits.dim() - 1 if isinstance(logits, torch.Tensor) else 0
    check_floats("logits", logits, *["..."] * free, "V")
