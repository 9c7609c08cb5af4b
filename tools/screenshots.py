"""Take the pictures of the book that README and the front page show (make screenshots)."""

import io
from pathlib import Path

from PIL import Image

from browser import Visit, launch

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "_build" / "html"
IMAGES = ROOT / "book" / "images"
# Name of the picture: page, and the heading to scroll to.
PICTURES = {
    "front": ("book/index.html", None),
    "chapter": ("notebooks/03_attention.html", "why-the-scores-are-divided-by-d-k"),
}


def save(picture, path):
    """Store a screenshot with 128 colours, which keeps it small and its text sharp."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} KB")


def main():
    IMAGES.mkdir(exist_ok=True)
    with launch() as browser:
        for theme in ("light", "dark"):
            context = browser.new_context(
                color_scheme=theme, viewport={"width": 1280, "height": 800}, offline=True
            )
            for name, (page, heading) in PICTURES.items():
                visit = Visit(context, BOOK / page)
                if heading:
                    visit.page.locator(f"#{heading}").evaluate("e => e.scrollIntoView()")
                save(visit.page.screenshot(), IMAGES / f"{name}-{theme}.png")
            context.close()


if __name__ == "__main__":
    main()
