"""The book is green where others have it (see forks.py): there it is built and tested again.

What is asked there depends on the names, the contents or the host. The rest is the same tree.
"""

import pytest

from tests.support import forks

CHECKS = [
    "tests/pages/test_launch.py",
    "tests/pages/test_book_pages.py",
    "tests/pages/test_references.py",
    "tests/pages/test_pages.py::test_the_book_has_the_pages_of_its_contents",
    "tests/pages/test_pages.py::test_links_and_anchors_resolve",
]


@pytest.mark.parametrize(
    ("origin", "stated", "marked"),
    [
        ("https://github.com/owner/their-book.git", "", "browser or not browser"),
        (None, "git@github.com:owner/their-book.git", "not browser"),  # the pages are the same
    ],
    ids=["a clone of a public host", "an archive without git"],
)
def test_green_where_it_lives(tmp_path, monkeypatch, origin, stated, marked):
    for variable in ("BOOK_URL", "GITHUB_REPOSITORY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("BOOK_REPOSITORY", stated)
    forks.fork(tmp_path, origin)
    said = forks.run(tmp_path, "jupyter-book", "build", ".", "-W", "-n", "--keep-going", "-q")
    assert said.count("is not in _toc.yml: links to it are plain words in") == 1
    forks.run(tmp_path, "pytest", "-p", "no:cacheprovider", "-m", marked, *CHECKS)
