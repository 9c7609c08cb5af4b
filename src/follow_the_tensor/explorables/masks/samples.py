from ..shared.samples import grid
from . import Masks

INPUT = ("a click in a mask of 16 × 16", ".grid button", [])


def sample(rng):
    """Empty rows and rows without a mask, more real keys than keys, one query or key."""
    height, width = rng.randint(1, 16), rng.randint(1, 16)
    density = rng.choice([0.0, 0.2, 0.5, 1.0])
    return {
        "scores": grid(rng, height, width),
        "cells": [[rng.random() < density for _ in range(width)] for _ in range(height)],
        "real_keys": rng.randint(0, width + 1),
        "causal": rng.random() < 0.5,
        "convention": rng.choice(Masks.convention.values),
        "treatment": rng.choice(Masks.treatment.values),
    }
