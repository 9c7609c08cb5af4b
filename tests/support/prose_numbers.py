"""Which numbers in the text of a chapter nothing nearby shows.

The rule. A number stands in the code, or in one output, of the two cells with numbers before the
text or the two after it; one of three digits or more may stand anywhere in the chapter. Numbers
in a row, such as [2, 6, 12] or 2, 0 and 2, stand there together and in this order. Any other is
in tests/notebooks/unchecked_prose.toml, with the reason.

Not looked at: code, link targets, numbers of chapters, exercises and list items, shapes with
letters, factors and exponents, the parts of a calculation (its result is), numbers in words.
"""

import ast
import html
import json
import re
from dataclasses import dataclass

from bs4 import BeautifulSoup

from tests.support.notebook_guard import python

UNCHECKED = "tests/notebooks/unchecked_prose.toml"
AROUND = 2  # so many cells with numbers before a text are near it, and so many after it
LONG = 3  # digits that hardly stand anywhere by chance

NOT_PROSE = re.compile(
    r"^ *```.*?^ *```|`[^`\n]+`|</?\w[^>]*>"
    r"|(?<=\])\([^)\s]*\)|\[\d+\](?=\()"  # the target of a link, a link that is a number
    r"|^\s*\d+\. |^\| \d+\. |^\*\*\d+\. ?(?=[*A-Z])|^#+ \d+ ·"
    r"|\b([Cc]hapter|[Ff]ault|Question|Check)s? \d+( (to|and) \d+)?|\bISO 8601"
    r"|[-−]?\b\d(?=(?: ?· ?)?(?!e[-−]?\d)[a-zA-Zπ√(\\])|\^\{?[-−]?[\d.]+"  # 2i, 4·D, 10^-9
    r"|\[(?=[^\]]*[A-Z])(?:[A-Za-z]\w*|[12])(?:, (?:[A-Za-z]\w*|[12]))*\]"  # [B, 1, 1, L]
    r"|\d[\d.]*(?=(?: ?[+·×/−] ?| - )[\d(√…])"  # what an operator joins: 2·3 + 1
    r"|(?:(?<=[+·×/√(])|(?<=[+·×/−√] )|(?<= - ))(?<!\d)\d[\d.]*",
    re.MULTILINE | re.DOTALL,
)
NUMBER = (
    r"(?:(?<![\w)\]}])[-−])?(?<![\w.])"
    r"(?:\d{1,3}(?:[ \u00a0]\d{3})+(?!\d)|\d[\d_]*(?:\.\d+)?(?:e[-−+]?\d+)?)"  # 13 000, 0.5, 1e-9
    r"[⁻⁰¹²³⁴-⁹]*"
)
ROW = re.compile(rf"{NUMBER}(?:(?:, |-| ){NUMBER})+(?: and {NUMBER})?|{NUMBER}")
IN_CELL = re.compile(NUMBER.replace(r"\d{1,3}(?:[ \u00a0]\d{3})+(?!\d)|", ""))  # [3 000] is two
RANGE = re.compile(r"range\((?:\d+, )?(\d+)")  # ends one before its number
SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass
class Passage:
    """A text of a chapter, and the rows of numbers that are shown near it and in its chapter."""

    chapter: str
    cell: str
    text: str
    near: list
    far: list


def reading(text):
    """The value of a number, and how far a number may be from it that is rounded to it."""
    base, power = re.fullmatch(r"(.*?)([⁻⁰¹²³⁴-⁹]*)", text).groups()
    digits = re.sub(r"[ \u00a0_]", "", base).replace("−", "-")
    value = float(digits) ** int(power.translate(SUPERSCRIPT) or 1)
    if power and digits.startswith("-"):  # -10⁹ is -(10⁹)
        value = -abs(value)
    decimals = digits.partition(".")[2] if "e" not in digits else ""
    return value, 0.5001 * 10.0 ** -len(decimals) if decimals else 1e-12 * abs(value)


def sentences(cell):
    """Texts in the code that are prose: the questions and reasons of an exercise."""
    texts = [node.value for node in ast.walk(python(cell)) if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and re.search(r" .*[.?]$", text)]


def visible(kind, text):
    """What a reader can see of an output: of HTML the text, and what an explorable can show."""
    if kind != "text/html":
        return text
    page = BeautifulSoup(text, "html.parser")
    for unseen in page(["style", "script"]):
        unseen.decompose()
    states = [tag["data-state"] for tag in page.select("[data-state]")]
    return " ".join([page.get_text(" "), *states])


def shown_by(cell):
    """The numbers in the code of a cell and in each of its outputs, a row for each."""
    if cell.cell_type != "code":
        return
    texts = [cell.source]
    for output in cell.outputs:
        data = output.get("data", {}).items()
        texts += [output.get("text", "")]
        texts += [visible(kind, text) for kind, text in data if not kind.startswith("image/")]
    prose = sentences(cell)
    for text in map(html.unescape, texts):
        for sentence in prose:
            text = text.replace(sentence, "")
        yield [reading(hit)[0] for hit in IN_CELL.findall(text)]
        yield from ([float(hit) - 1] for hit in RANGE.findall(text))


def prose_of(cell):
    """The prose of a cell: Markdown, or the alternative text and the exercises of a code cell."""
    if cell.cell_type == "markdown":
        return cell.source
    alternative = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
    return "\n".join([alternative, *sentences(cell)])


def passages(notebook, chapter):
    """All prose of a chapter, with the numbers of the code cells around it."""
    shown = [[row for row in shown_by(cell) if row] for cell in notebook.cells]
    for i, cell in enumerate(notebook.cells):
        before = [rows for rows in shown[: i + 1] if rows][-AROUND:]
        after = [rows for rows in shown[i + 1 :] if rows][:AROUND]
        near = [row for rows in before + after for row in rows]
        far = [row for rows in shown for row in rows]
        yield Passage(chapter, cell.id, prose_of(cell), near, far)


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


def missing(passage, excused=()):
    """The places of the numbers that nothing shows and no piece of text in `excused` holds."""
    held = [hit.span() for words in excused for hit in re.finditer(re.escape(words), passage.text)]
    prose = NOT_PROSE.sub(lambda hit: re.sub(r"[^\n]", "§", hit[0]), passage.text)
    for hit in ROW.finditer(prose):
        digits = re.findall(r"[\de⁰¹²³⁴-⁹]", hit[0])  # 1e9 is long too
        rows = passage.far if len(digits) >= LONG else passage.near
        inside = any(start <= hit.start() and hit.end() <= end for start, end in held)
        if not inside and not is_shown(re.findall(NUMBER, hit[0]), rows):
            yield hit.span()


def message(passage, place):
    """What is wrong, and the line to paste if it has to stay."""
    start, end = place
    before = re.search(r"(?:[^\s]+ ){0,3}\S*$", passage.text[:start])[0]
    after = re.match(r"[^\s]*(?: [^\s]+){0,2}", passage.text[end:])[0]
    number = passage.text[start:end]
    words = json.dumps(before + number + after, ensure_ascii=False)
    return (
        f"notebooks/{passage.chapter}.ipynb: no cell nearby shows {number} in\n"
        f"    … {before}{number}{after} …    (cell {passage.cell})\n"
        "Correct the number, or print it in a cell next to the text, or paste this line under "
        f'[{passage.chapter}] in {UNCHECKED}:\n{words} = "the reason why no cell shows it"'
    )
