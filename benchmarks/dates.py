"""Read the same held-out dates with the model, dateparser and dateutil (make bench).

    python benchmarks/dates.py [COUNT]

The libraries get the text as CLDR writes it. They were not made for these strings alone:
they know many more forms and languages, and guess where the text leaves something open.
"""

import datetime
import sys
import time
import warnings

import dateparser
import dateutil.parser
from babel.dates import format_date

from follow_the_tensor import load_date_reader
from follow_the_tensor.dates import KINDS, as_typed, date_pairs

ROW = "{:<36}{:>14}{:>12}{:>14}   {}"


def with_dateparser(texts):
    return [day.date().isoformat() if (day := dateparser.parse(text)) else "" for text in texts]


def with_dateutil(texts):
    return [_dateutil(text) for text in texts]


def _dateutil(text):
    try:
        return dateutil.parser.parse(text).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def rates(answers, dates):
    """Share of exact matches, and the lowest share of a language."""
    languages = {}
    for n, (answer, date) in enumerate(zip(answers, dates, strict=True)):
        languages.setdefault(KINDS[n % len(KINDS)][0], []).append(answer == date)
    hits = [hit for some in languages.values() for hit in some]
    worst = min(languages, key=lambda name: sum(languages[name]) / len(languages[name]))
    lowest = sum(languages[worst]) / len(languages[worst])
    return sum(hits) / len(hits), f"{lowest:.4f} ({worst})"


def main(count):
    dates = [iso for _, iso in date_pairs(0, count)[1]]
    texts = [
        format_date(datetime.date.fromisoformat(iso), style, locale=language)
        for iso, (language, style) in zip(dates, KINDS * (count // len(KINDS) + 1), strict=False)
    ]
    reader = load_date_reader()
    candidates = {
        "this model": (reader.read, texts),
        "this model, texts as typed": (reader.read, [as_typed(text) for text in texts]),
        "dateparser": (with_dateparser, texts),
        "dateutil": (with_dateutil, texts),
    }
    print(f"{count} held-out strings, {len(KINDS)} kinds")
    print(ROW.format("", "exact match", "seconds", "ms a string", "lowest language"))
    for name, (read, given) in candidates.items():
        read(given[:2])
        start = time.perf_counter()
        answers = read(given)
        seconds = time.perf_counter() - start
        rate, lowest = rates(answers, dates)
        timing = f"{seconds:.2f}", f"{1e3 * seconds / count:.2f}"
        print(ROW.format(name, f"{rate:.4f}", *timing, lowest))


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # both libraries warn about the dates they guess
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2160)
