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
    "wrong": ("#b3261e", "#ff9a8f"),
}
GROUNDS = {
    "ink": ("#1b1f24", "#e6e8eb"),
    "quiet": ("#5b6470", "#a3adb8"),
    "line": ("#d0d5db", "#3f4a57"),
    "panel": ("#f6f7f9", "#1d232b"),
    "paper": ("#ffffff", "#14181e"),
}
# For figures, which are one image for both themes: between the two colours of each role, where
# the contrast with a white and with a dark page is the same, 4.2 to 1. More is not possible.
BOTH = {
    "queries": "#347fc1",
    "keys": "#bf6212",
    "values": "#1b8b72",
    "weights": "#9068c6",
    "masked": "#747c89",
}
# How the book, JupyterLab, Colab and VS Code say that the theme is dark.
DARK = (
    'html[data-theme="dark"]',
    'body[data-jp-theme-light="false"]',
    'html[theme="dark"]',
    "body.vscode-dark",
)


def light(role):
    """The colour of `role` on a light ground."""
    return ROLES[role][0]


def css():
    """The colours as CSS variables named --ftt-ROLE, for both themes."""
    themes = (":root", ", ".join(DARK))
    rules = []
    for theme, selector in enumerate(themes):
        variables = [f"  --ftt-{name}: {pair[theme]};" for name, pair in (ROLES | GROUNDS).items()]
        rules.append("\n".join([f"{selector} {{", *variables, "}"]))
    return "\n".join(rules) + "\n"
