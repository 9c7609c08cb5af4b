"""How a number is written in a picture: the same text on every machine."""

import math

from ..shapes import check_integer

MOST = 2  # decimals that are written where nobody asks for another number
SPARE = 4  # decimals behind the shown ones; what differs between processors lies further back
LARGE = 1e6  # from here on a number is written as 1e6


def check_digits(digits):
    """Raise unless `digits` is None or a number of decimals: TypeError or ValueError."""
    if digits is not None:
        check_integer("digits", digits)
        if not 0 <= digits <= 8:
            raise ValueError(f"digits: expected an integer in [0, 8], got {digits}")


def settle(number, digits=None):
    """`number` rounded to `digits` decimals; a tie falls the same way on every machine."""
    if not math.isfinite(number):
        return number
    digits = MOST if digits is None else digits
    return round(round(number, digits + SPARE), digits) + 0.0  # adding 0.0 makes -0.0 a 0


def write(numbers, digits=None):
    """A text for each number: with `digits` decimals, or else with as few as all need, up to 2."""
    settled = [settle(number, digits) for number in numbers]
    if digits is None:
        digits = max((_decimals(number) for number in settled), default=0)
    return [_text(number, digits) for number in settled]


def _decimals(number):
    if not math.isfinite(number) or abs(number) >= LARGE:
        return 0
    return len(f"{number:.{MOST}f}".rstrip("0").partition(".")[2])


def _text(number, decimals):
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if abs(number) >= LARGE:
        mantissa, _, exponent = f"{number:.1e}".partition("e")
        text = f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    else:
        text = f"{number:.{decimals}f}"
    return text.replace("-", "−")
