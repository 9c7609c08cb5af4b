from ..shared.samples import TEXTS
from . import SIZES


def sample(rng):
    """Sizes of every order, the largest too; mostly with a number of heads that divides."""
    names = ("B", "Ls", "Lt", "D", "d_ff", "V")
    largest = rng.choice([24, 1000, SIZES["max"]])
    sizes = {name: rng.randint(1, largest) for name in names}
    links = {name: rng.choice(TEXTS) for name in ("chapters", "suffix")}
    return {**sizes, "H": rng.choice([1, 1, 1, 2, 3, 4]), "layers": rng.randint(1, 1000), **links}
