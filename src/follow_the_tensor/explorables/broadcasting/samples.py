from ..shared.base import LARGEST
from . import MOST_AXES

INPUT = ("a typed shape", "input[type=text]", ["2, 3", "4, 3"])


def sample(rng):
    return {"left": shape(rng), "right": shape(rng)}


def shape(rng):
    sizes = [0, 1, 1, 1, 2, 3, LARGEST]
    return [rng.choice(sizes) for _ in range(rng.randint(0, MOST_AXES))]
