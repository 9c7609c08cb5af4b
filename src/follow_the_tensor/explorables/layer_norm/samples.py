from ..shared.samples import grid
from . import LayerNorm


def sample(rng):
    size = rng.randint(2, 8)
    return {
        "token": grid(rng, 1, size)[0],
        "sublayer": grid(rng, 1, size)[0],
        "order": rng.choice(LayerNorm.order.values),
        "variance": rng.choice(LayerNorm.variance.values),
        "rate": rng.choice([0.0, 0.5, 0.9]),
        "training": rng.random() < 0.5,
        "kept": [rng.random() < 0.5 for _ in range(size)],
    }
