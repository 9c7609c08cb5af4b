"""What a book with an address of its own says to search engines: which page is where.

Each page names its one address, which Sphinx writes as `<link rel="canonical">`; sitemap.xml
lists them all, and robots.txt leads there. Without an address (see repository.py) nothing
of this is written.
"""

from pathlib import Path
from xml.sax.saxutils import escape

from . import repository

SITEMAP = """\
<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>
"""


def setup(app):
    app.connect("config-inited", find)
    app.connect("build-finished", write)


def find(app, config):
    config.html_baseurl = repository.book_address() or ""


def write(app, error):
    address = app.config.html_baseurl
    if error or not address or app.builder.format != "html":
        return
    pages = [address + app.builder.get_target_uri(page) for page in sorted(app.env.found_docs)]
    entries = "\n".join(f"<url><loc>{escape(page)}</loc></url>" for page in pages)
    book = Path(app.outdir)
    (book / "sitemap.xml").write_text(SITEMAP.format(entries), encoding="utf-8")
    robots = f"User-agent: *\nAllow: /\nSitemap: {address}sitemap.xml\n"
    (book / "robots.txt").write_text(robots, encoding="utf-8")
