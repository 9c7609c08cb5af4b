"""What a notebook's outputs look like with one of their numbers changed."""

import re
from copy import copy

PICTURES = ("image/png", "image/jpeg")

NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?|[⁰¹²³⁴-⁹]+|-?\binf\b|\b(?:[Tt]rue|[Ff]alse|nan)\b")
NEXT = str.maketrans("0123456789⁰¹²³⁴⁵⁶⁷⁸⁹", "1234567890¹²³⁴⁵⁶⁷⁸⁹⁰")
WORDS = {"True": "False", "False": "True", "true": "false", "false": "true"}
WORDS |= {"inf": "nan", "-inf": "inf", "nan": "inf"}


def changes(number):
    """The number with one of its signs or digits changed, for each of them."""
    if number in WORDS:
        return [WORDS[number]]
    changed = []
    for i, sign in enumerate(number):
        if sign != ".":
            other = "" if sign in "-−" else sign.translate(NEXT)
            changed.append(number[:i] + other + number[i + 1 :])
    return changed


def leaves(node, path=()):
    """Every text and number in nested dicts and lists, with the keys that lead to it."""
    if isinstance(node, dict | list):
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(child, (*path, key))
    else:
        yield path, str(node)


def with_leaf(node, path, value):
    """The same nested dicts and lists with another value at one place."""
    if not path:
        return value
    changed = copy(node)
    changed[path[0]] = with_leaf(node[path[0]], path[1:], value)
    return changed


def kind(path):
    """What a leaf of the outputs is: text/html, text (of a stream), execution_count, …"""
    return path[2] if path[1] == "data" else path[1]


def mutants(outputs):
    """For each number: what it is, the text around it, and the outputs with it changed."""
    for path, text in leaves(outputs):
        if kind(path) in PICTURES:
            yield kind(path), "a picture", [with_leaf(outputs, path, "another" + text)]
            continue
        for found in NUMBER.finditer(text):
            start, end = found.span()
            around = f"{text[max(0, start - 30) : start]}[{found[0]}]{text[end : end + 30]}"
            texts = [text[:start] + other + text[end:] for other in changes(found[0])]
            yield kind(path), around, [with_leaf(outputs, path, other) for other in texts]
