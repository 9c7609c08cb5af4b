"""What a reader typed, whatever the keyboard. In a page, explorables/shared/typed.js does it."""

import unicodedata


def plain_words(text):
    """Small letters, in the form that NFKC takes for the same, and one space between words."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split())


def plain_digits(text):
    """The digits of every script as 0 to 9."""
    return "".join(str(int(each)) if each.isdecimal() else each for each in text)
