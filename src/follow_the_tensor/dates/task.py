"""A real task without a download: dates as 18 languages write them, and ISO dates.

The texts come from the locale data of Unicode (CLDR), which Babel ships.
"""

import datetime
import hashlib
import random
import re

from ..shapes import check_integer, check_size
from ..typed import plain_digits, plain_words
from .vocabulary import Vocabulary

LANGUAGES = tuple("cs de el en es fr hi it ja ko nl pl pt ru sv tr uk zh".split())
STYLES = ("medium", "long", "full")
KINDS = tuple((language, style) for language in LANGUAGES for style in STYLES)
# Every day of the years 1000 to 2999, as Python counts days.
CALENDAR = range(datetime.date(1000, 1, 1).toordinal(), datetime.date(3000, 1, 1).toordinal())
HELD_OUT_DAYS = 10_000  # so many of them, drawn at random, are never trained on

ISO_CHARACTERS = "-0123456789"
# Hindi spells October in two ways: Babel has the first up to 2.17, then the second. The small
# letter of a Turkish I has no dot, but no text in capitals says that it is Turkish.
REPLACEMENTS = (
    ("अक्तू", "अक्टू"),
    ("mayis", "mayıs"),
    ("kasim", "kasım"),
    ("aralik", "aralık"),
    ("sali", "salı"),
)
DOTTED = "i\u0307"  # what İ becomes in small letters


def clean(text):
    """Write a text as the model knows it: small letters, plain spaces, digits 0 to 9.

    The digits of any script become 0 to 9. NFKC is the Unicode form that turns the
    many kinds of spaces, and of letters with marks, into one. A month that is spelt
    in several ways gets the spelling of `REPLACEMENTS`. What is clean stays as it is.
    """
    # Without the dot a text may have another form again.
    text = plain_words(plain_words(text).replace(DOTTED, "i"))
    text = plain_digits(text)
    for old, better in REPLACEMENTS:
        text = text.replace(old, better)
    return text


def as_typed(text):
    """Leave out what people leave out: commas, and the spaces of 7. 3. 2021."""
    return re.sub(r"(?<=\d)\. (?=\d)", ".", text.replace(",", ""))


def write_date(day, language, style):
    """Return `day` (a datetime.date) as CLDR writes it, cleaned.

    Raises:
        ValueError: `style` is none of STYLES.
        ModuleNotFoundError: Babel is not installed.
    """
    if style not in STYLES:  # Babel would take it for a pattern, or not, depending on its release
        raise ValueError(f"style: expected one of {STYLES}, got {style!r}")
    from babel.dates import format_date  # reading dates does not need it

    return clean(format_date(day, style, locale=language))


def date_pairs(train, held_out, seed=0):
    """Make `train` and `held_out` pairs (text, ISO date), all kinds equally often.

    HELD_OUT_DAYS days are kept aside before the others are drawn, whatever is asked
    for, so no held-out date is ever trained on. No day is used twice. Every other
    round of the kinds to train on goes through `as_typed`.

    Returns:
        two lists of (text, iso): to train on, and held out

    Raises:
        ValueError: more pairs are asked for than there are days.
        TypeError: a count is not an integer.
        ModuleNotFoundError: Babel is not installed.
    """
    _check_count("train", train, len(CALENDAR) - HELD_OUT_DAYS)
    _check_count("held_out", held_out, HELD_OUT_DAYS)
    rng = random.Random(seed)
    kept = rng.sample(CALENDAR, HELD_OUT_DAYS)
    aside = set(kept)
    # So many more than needed that enough are left when the kept ones are taken out.
    drawn = rng.sample(CALENDAR, train + HELD_OUT_DAYS)
    free = [day for day in drawn if day not in aside][:train]
    pairs = _pairs(free)
    for n, (text, iso) in enumerate(pairs):
        if n // len(KINDS) % 2:
            pairs[n] = as_typed(text), iso
    return pairs, _pairs(kept[:held_out])


def _pairs(days):
    pairs = []
    for n, number in enumerate(days):
        day = datetime.date.fromordinal(number)
        pairs.append((write_date(day, *KINDS[n % len(KINDS)]), day.isoformat()))
    return pairs


def _check_count(name, value, most):
    check_integer(name, value)
    if not 0 <= value <= most:
        raise ValueError(f"{name}: expected a count in [0, {most}], got {value}")


class DateTask:
    """The pairs of `date_pairs` as ids, with the vocabularies and a note of what they are.

    Shapes:
        train, held_out: src [N, Ls] and tgt [N, 12] each, filled up with PAD

    Raises:
        ValueError, TypeError: a count is not a positive integer, or there are fewer days.
    """

    def __init__(self, train_pairs, held_out_pairs):
        check_size("train_pairs", train_pairs)
        check_size("held_out_pairs", held_out_pairs)
        train, held_out = date_pairs(train_pairs, held_out_pairs)
        self.source = Vocabulary.from_texts(text for text, _ in train)
        self.target = Vocabulary(ISO_CHARACTERS)
        self.train = self._ids(train)
        self.held_out = self._ids(held_out)
        # Another release of Babel may write dates differently. The digest shows it.
        digest = hashlib.sha256(repr((train, held_out)).encode()).hexdigest()
        self.about = {
            "train_pairs": train_pairs,
            "held_out_pairs": held_out_pairs,
            "texts": digest,
        }

    def _ids(self, pairs):
        texts, dates = zip(*pairs, strict=True)
        return self.source.batch(texts), self.target.batch(dates, start=True)
