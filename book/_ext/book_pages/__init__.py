"""What this book adds to Sphinx: pages that are light and never call out. One file a concern."""

from pathlib import Path

from . import (
    address,
    contents,
    downloads,
    edition,
    explorables,
    finishing,
    icons,
    launch,
    mathematics,
    not_found,
    numbers,
    pictures,
    search,
    sharing,
    slimming,
    tables,
)

PARTS = (
    edition, numbers, address, contents, tables, pictures, search, sharing, mathematics, icons,
    explorables, launch, downloads, not_found, slimming, finishing,
)  # fmt: skip


def setup(app):
    # Jupyter Book always sets this value; the extension it belongs to is not used here.
    app.add_config_value("comments_config", {}, "html")
    app.config.templates_path.append(str(Path(__file__).parent / "templates"))
    for part in PARTS:
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
