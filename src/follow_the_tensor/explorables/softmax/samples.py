from ..shared.samples import grid


def sample(rng):
    return {
        "scores": grid(rng, rng.randint(1, 5), rng.randint(1, 7)),
        "d_k": rng.choice([1, 4, 63, 256]),
        "sharpness": rng.choice([0.0, 0.3, 1.0, 5.0]),
        "axis": rng.choice([-1, 0]),
    }
