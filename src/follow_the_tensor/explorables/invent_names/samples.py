from . import InventNames

CHARACTERS = "aeiounrstlABM -'日国語アλαриक्"


def sample(rng):
    return {
        "language": rng.choice(InventNames.language.values),
        "text": "".join(rng.choices(CHARACTERS, k=rng.choice([0, 0, 1, 3, 8, 24]))),
        "temperature": rng.choice([0.1, 0.5, 1.0, 3.0]),
        "top_k": rng.choice([0, 1, 3, 50]),
        "top_p": rng.choice([0.05, 0.5, 0.9, 1.0]),
        "seed": rng.randint(0, 1_000_000),
    }
