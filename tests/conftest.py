import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tools.browser import launch

pytest_plugins = ["tests.support.devices"]

# The same examples in every run; nothing is stored in the project.
settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, max_examples=40
)
# New examples in every run; a failure prints what brings its example back.
settings.register_profile(
    "exploring", deadline=None, database=None, print_blob=True, max_examples=460
)
settings.load_profile("repeatable")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")  # a second browser in one process does not start
def browser():
    """A headless browser that cannot reach any network."""
    with launch() as browser:
        yield browser


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """The book of somebody who has it on GitHub under another name."""
    folder = tmp_path_factory.mktemp("sample")
    build = [Path(sys.executable).with_name("jupyter-book"), "build", ROOT, "-W", "-n", "--quiet"]
    names = {"BOOK_REPOSITORY": "git@github.com:sample/their-book.git", "BOOK_URL": ""}
    subprocess.run([*build, "--path-output", folder], env=os.environ | names, check=True)
    return folder / "_build" / "html"


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
