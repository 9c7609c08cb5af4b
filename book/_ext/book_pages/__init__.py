"""What this book adds to Sphinx: pages that are light and never call out. One file a concern."""

from pathlib import Path

from . import citations, downloads, explorables, icons, launch, mathematics, slimming, strict


def setup(app):
    # Jupyter Book always sets this value; the extension it belongs to is not used here.
    app.add_config_value("comments_config", {}, "html")
    app.config.templates_path.append(str(Path(__file__).parent / "templates"))
    for part in (mathematics, icons, explorables, citations, launch, downloads, slimming, strict):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
