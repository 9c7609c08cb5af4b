"""Take the pictures of the book: for README and the front page, and the card that chats show.

`make screenshots` runs this.
"""

import io
from pathlib import Path

from PIL import Image

from tools.browser import Visit, launch

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
IMAGES = ROOT / "book" / "images"
CARD = ROOT / "book" / "_static" / "card.png"
# Name of the picture: page, and what to show in its middle.
PICTURES = {
    "chapter": ("notebooks/04_masks.html", "[data-module=masks]"),
}


def save(picture, path):
    """Store a screenshot with 256 colours, which keeps it small and its text sharp."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    few = image.quantize(256, kmeans=2, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} KB")


def take_card(browser):
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 630})
    save(Visit(context, ROOT / "tools" / "card.html").page.screenshot(), CARD)
    context.close()


def main():
    IMAGES.mkdir(exist_ok=True)
    with launch() as browser:
        take_card(browser)
        for theme in ("light", "dark"):
            context = browser.new_context(
                color_scheme=theme,
                viewport={"width": 1280, "height": 800},
                offline=True,
                reduced_motion="reduce",  # scrolling would still be under way
            )
            for name, (page, middle) in PICTURES.items():
                visit = Visit(context, BOOK / page)
                visit.page.locator(middle).last.evaluate("e => e.scrollIntoView({block: 'center'})")
                save(visit.page.screenshot(), IMAGES / f"{name}-{theme}.png")
            context.close()


if __name__ == "__main__":
    main()
