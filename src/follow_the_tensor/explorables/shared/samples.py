"""What the samples of several explorables are drawn with."""

TEXTS = ["", " ", "a", "Ω 𝕫 ☃", "</script><b>\"'&", "\u2028\x85\x1c", "१२ ８２５６"]


def grid(rng, height, width):
    """Rows of numbers, small ones or large ones, and the largest that a field takes."""
    scale = rng.choice([1, 30, 1000, 1_000_000])
    return [[round(rng.uniform(-scale, scale), 3) for _ in range(width)] for _ in range(height)]
