"""The colours of the book: one for each role, in figures, explorables and pages alike.

Each pair is (light theme, dark theme). The hues come from the Okabe-Ito palette, which
readers with any kind of colour vision can tell apart, darkened or lightened until text
in that colour has a contrast of at least 4.5 to 1 with the page.
"""

ROLES = {
    "queries": ("#1f6fb4", "#7db8f0"),
    "keys": ("#b35300", "#f2a35e"),
    "values": ("#0a7a62", "#5fcfb0"),
    "weights": ("#7a4fb5", "#c3a3f0"),
    "masked": ("#6b7280", "#9aa3af"),
}


def light(role):
    """The colour of `role` on a white ground, which is what every figure has."""
    return ROLES[role][0]
