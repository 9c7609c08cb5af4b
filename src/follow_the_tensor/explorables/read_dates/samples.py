from . import EXAMPLES, LAST_STEP, ReadDates

INPUT = ("a typed date, read by the model", "input[type=text]", ["7. März 2021", "July 20, 1969"])
CHARACTERS = "0123456789 .-mayärz年月日июля☃A\u3000"


def sample(rng):
    typed = "x" + "".join(rng.choices(CHARACTERS, k=rng.choice([0, 5, 20, 62])))
    return {
        "text": rng.choice([typed, *EXAMPLES]),
        "step": rng.randint(0, LAST_STEP),
        "kind": rng.choice(ReadDates.kind.values),
        "layer": rng.randint(0, ReadDates.layer.max),
        "head": rng.randint(0, ReadDates.head.max),
        "query": rng.randint(0, ReadDates.query.max),
    }
