import torch
from torch import nn

from ...attention import MultiHeadAttention
from ...masks import causal_mask
from ...positional import sinusoid_table
from ...recording.recorder import record

INPUT = ("next step", "button[aria-label=forward]", [])


def sample(rng):
    """A recording of real code, at any of its steps."""
    recording = rng.choice([_table, _mask, _attention, _constructor, _error, _hidden])(rng)
    return {"recording": recording.data, "step": rng.randrange(len(recording.data["steps"]))}


def _table(rng):
    return record(sinusoid_table, rng.randint(1, 9), rng.randint(1, 9))


def _mask(rng):
    return record(causal_mask, rng.randint(1, 9))


def _attention(rng):
    heads, length = rng.randint(1, 3), rng.randint(0, 4)
    x = torch.full((2, length, 2 * heads), rng.choice([0.5, float("inf"), float("nan")]))
    return record(MultiHeadAttention(2 * heads, heads), x, x, x, need_weights=rng.random() < 0.5)


def _constructor(rng):
    heads = rng.randint(1, 3)
    return record(MultiHeadAttention, 2 * heads, heads)


def _error(rng):
    return record(MultiHeadAttention(4, 2), *[torch.ones(1, 2, rng.choice([3, 5]))] * 3)


def _hidden(rng):
    """Values without numbers to show, and values inside others."""

    def walk(sizes):
        pairs = [(size, torch.zeros(size)) for size in sizes]
        yield tuple(pairs)
        layer = nn.Linear(len(sizes), 2)
        return layer

    return record(lambda: list(walk([rng.randint(0, 3) for _ in range(rng.randint(1, 3))])))
