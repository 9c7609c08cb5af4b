"""The numbers in a piece of prose, and which of them nothing near it shows.

The rule for a chapter. Numbers in a row, such as 2, 0, 2 or [2, 6, 12], must stand in that
order in the code or in one output of the two cells with numbers before it or the two after. A
row of three digits or more, which is hardly there by chance, may stand anywhere in the chapter.
What is left must belong to an equation that is true, to a sentence of tests/prose_facts.py,
which works its numbers out, or to one of tests/unchecked_prose.toml.

On a page without cells only the last three count, but a section of the third level, such as
an answer to a reader's question, may have its numbers from the chapters that it links to.
An entry of the function index has its examples near it, and the chapter that it links to.

Not looked at: code in prose, the targets of links, the numbers of chapters, faults, checks,
questions and list items, exponents and factors of letters in a formula, and numbers in words.
"""

import math
import re
from dataclasses import dataclass
from itertools import pairwise

NOT_PROSE = re.compile(
    r"^ *```.*?^ *```|^:::.*?$|^:width:.*?$"  # code, directives
    r"|`[^`\n]+`"
    r"|(?<=\])\([^)\s]*\)"  # the target of a link
    r"|</?\w[^>]*>"
    r"|^\s*\d+\. |^\| \d+\. |^\*\*\d+\.\*\*"  # items of a list or table, exercises
    r"|^#+ \d+ ·"
    r"|\b([Cc]hapter|[Ff]ault|Question|Check)s? \d+( (to|and) \d+)?|\[\d+\](?=\()"
    r"|\bISO 8601|\b[A-Z]+-\d|\bBSD 3-Clause"  # names
    r"|\b(CC BY|Attribution) 4\.0|\bOFL 1\.1|\bApache 2\.0",
    re.MULTILINE | re.DOTALL,
)
NUMBER = re.compile(
    r"(?:(?<![\w)\]}])[-−])?(?<![\w.])"
    r"(?:\d{1,3}(?:[ \u00a0]\d{3})+(?!\d)"  # 13 000
    r"|(?<!/)\d+(?:/| of )\d+(?![\d/])"  # 1/3, 95 of 100
    r"|\d+(?:\.\d+)?(?:e[-−]?\d+)?)"
    r"[⁻⁰¹²³⁴-⁹]*"
)
_N = NUMBER.pattern
ROW = re.compile(rf"{_N}(?:(?:, | ){_N})+(?: and {_N})?|{_N}")  # 2, 0, 2 and 10, 50 and 30

STRUCTURE = re.compile(
    r"[-−]?\b\d(?=(?: ?· ?)?[a-zA-Zπ√(\\])"  # a factor: 2i, 4·D
    r"|\^\{?-?\d(?![\d.])"  # an exponent
    r"|1 \+ 2 \+ …"
    r"|\[(?=[^\]]*[A-Z])(?:[A-Za-z]\w*|[12])(?:, (?:[A-Za-z]\w*|[12]))*\]"  # [B, 1, 1, L]
)
SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
SIDE = r"(?:\d+(?:\.\d+)?|[-+−·×*/()√π^… ]|\bln\b|\bexp\b|\be\b|[⁰¹²³⁴-⁹])+"
EQUATION = re.compile(rf"{SIDE}(?:(?:=|\bis\b){SIDE})+")


@dataclass
class Passage:
    """A piece of prose, and the rows of numbers that are shown near it and in its chapter."""

    place: str
    text: str
    near: list
    far: list


def without_code(text):
    """The prose of a Markdown text, at the places where it was."""
    return NOT_PROSE.sub(lambda hit: re.sub(r"[^\n]", "§", hit[0]), text)


def reading(text):
    """The value of a number, and how far a number may be from it that is rounded to it."""
    base, power = re.fullmatch(r"(.*?)([⁻⁰¹²³⁴-⁹]*)", text).groups()
    digits = re.sub(r"[ \u00a0]", "", base).replace("−", "-")
    if len(parts := re.split("/|of", digits)) == 2:
        return int(parts[0]) / int(parts[1]), 0.0005
    value = float(digits) ** int(power.translate(SUPERSCRIPT) or 1)
    if power and digits.startswith("-"):  # -10⁹ is -(10⁹)
        value = -abs(value)
    decimals = digits.partition(".")[2] if "e" not in digits else ""
    return value, 0.5001 * 10.0 ** -len(decimals) if decimals else 1e-12 * abs(value)


def is_shown(row, rows):
    """Whether one of `rows` has these numbers in this order, one after the other."""
    numbers = [reading(part) for part in row]
    return any(
        all(
            abs(value - other) <= room
            for (value, room), other in zip(numbers, shown[start:], strict=False)
        )
        for shown in rows
        for start in range(len(shown) - len(row) + 1)
    )


def value_of(side):
    """The value of a calculation as it is written in prose; None if it is none."""
    side = re.sub(r"√ ?([\d.]+)", r"sqrt(\1)", side.replace("√(", "sqrt("))
    side = re.sub(r"\bln ([\d.]+)", r"log(\1)", side)
    side = re.sub(r"[⁰¹²³⁴-⁹]+", lambda hit: "**" + hit[0].translate(SUPERSCRIPT), side)
    side = re.sub(r"1 \+ 2 \+ … \+ (\d+)", r"(\1 * (\1 + 1) / 2)", side)
    side = side.translate(str.maketrans("−·×", "-**")).replace("π", "pi").replace("^", "**")
    try:
        return eval(side, {"__builtins__": {}}, vars(math))
    except (SyntaxError, TypeError, NameError):
        return None


def equations(text):
    """(start, end, holds) of each two sides that are calculations or numbers."""
    for hit in EQUATION.finditer(text):
        sides = [(part[0].strip(" ("), *part.span()) for part in re.finditer(SIDE, hit[0])]
        for (left, start, _), (right, _, end) in pairwise(sides):
            values = value_of(left), value_of(right)
            plain = [side for side in (left, right) if re.fullmatch(r"[-−]?[\d.]+", side)]
            if None not in values and len(plain) < 2:
                room = max((reading(side)[1] for side in plain), default=0)
                holds = abs(values[0] - values[1]) <= room + 1e-9
                yield hit.start() + start, hit.start() + end, holds


def complaints(passage, known=()):
    """The rows of numbers that nothing holds, `known` being spans that something holds."""
    text = passage.text
    held = [*known, *(hit.span() for hit in STRUCTURE.finditer(text))]
    for start, end, holds in equations(text):
        if holds:
            held.append((start, end))
        elif "=" in text[start:end]:  # "is" has other meanings
            yield f"{passage.place}: not true: {text[start:end].strip()}"
    for hit in ROW.finditer(text):
        row = NUMBER.findall(hit[0])
        digits = re.findall(r"[\de⁰¹²³⁴-⁹]", hit[0])  # 1e9 is long too
        rows = passage.far if len(digits) > 2 else passage.near
        apart = [part for number in row for part in re.split("/| of ", number)]
        if is_shown(row, rows) or is_shown(apart, rows):
            continue
        if not any(start <= hit.start() and hit.end() <= end for start, end in held):
            around = text[max(0, hit.start() - 40) : hit.start()], text[hit.end() : hit.end() + 30]
            yield f"{passage.place}: {around[0]}[{hit[0]}]{around[1]}".replace("\n", " ")
