import sys
import unicodedata

from ..shared.samples import TEXTS
from . import same

INPUT = ("a click", "button", [])
RIGHT = """8256|-8256|(2, 3)|(8, 256)|[1, 200, 300]|(1000, 24)|torch.Size([2, 3])|0.3333|-1|1.5e-3
    |12345678.5|W_q|True|linear1|x - 1|nan|-inf|()|[1.0, 0.0]|8_256""".replace("\n    ", "").split(
    "|"
)
WRONG = [
    "",
    " ",
    "W_Q",
    "ｌｉｎｅａｒ１",
    "0.33",
    "2 3",
    "3 2",
    "1",
    "relu",
    "8,25",
    "8,2565",
    "²",
    "½",
]

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1)]
ZEROS = [c for c in CHARACTERS if unicodedata.decimal(c, None) == 0]  # of every script
SPACES = [c for c in CHARACTERS if unicodedata.category(c) == "Zs"]
DASHES = ["−", *(c for c in CHARACTERS if unicodedata.category(c) == "Pd")]
GROUPING = [*SPACES, ",", "，", "'", "’", "_", "٬"]


def sample(rng):
    """A right answer or a wrong one, as another keyboard writes it."""
    right = rng.choice(RIGHT)
    given = rng.choice([right, right, right, *WRONG, *TEXTS])
    if rng.random() < 0.2:
        right, given = rounded(rng)
    hints = {}
    for wrong in [given, *rng.sample(RIGHT, 2)]:
        if not any(same(wrong, known) for known in [right, *hints]):
            hints[wrong] = f"not {wrong}"
    return {"question": "?", "answer": right, "given": typed(rng, given), "hints": hints}


def rounded(rng):
    """A decimal number, and another that rounds to it, or that only nearly does."""
    decimals, number = rng.randint(1, 4), rng.uniform(-9, 9)
    right = f"{number:.{decimals}f}"
    given = f"{float(right) + rng.choice([-0.55, -0.45, 0.45, 0.55]) * 10**-decimals:.8f}"
    return right, given.replace(".", rng.choice(".,"))


def typed(rng, text):
    if text.isdecimal() and rng.random() < 0.5:
        text = f"{int(text):,}".replace(",", rng.choice(GROUPING))
    digits = {str(n): chr(ord(rng.choice(ZEROS)) + n) for n in range(10)}
    signs = {" ": rng.choice(SPACES), "-": rng.choice(DASHES), ",": "，", "(": "（", ".": "．"}
    changes = rng.choice([{}, digits, signs, digits | signs])
    return "".join(changes.get(character, character) for character in text)
