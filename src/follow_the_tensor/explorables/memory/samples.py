from . import STEPS


def sample(rng):
    sizes = {name: rng.randint(1, 4) for name in ("length", "heads", "d_k")}
    return {**sizes, "step": rng.choice(list(STEPS))}
