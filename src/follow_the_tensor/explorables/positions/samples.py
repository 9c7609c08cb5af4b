def sample(rng):
    base = rng.choice([1.0, 100.0, 10000.0, 1e6])
    return {"d_model": rng.randint(1, 32), "length": rng.randint(1, 32), "base": base}
