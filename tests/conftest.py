import pytest

from browser import launch


@pytest.fixture(scope="module")  # a second browser in one process does not start
def browser():
    """A headless browser that cannot reach any network."""
    with launch() as browser:
        yield browser


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
