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


@pytest.fixture(scope="module")  # a second browser in one process does not start
def browser():
    """A headless browser that cannot reach any network."""
    with launch() as browser:
        yield browser


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
