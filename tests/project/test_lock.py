"""The lock files agree with the requirements files, with each other and with this environment."""

import re
from importlib.metadata import version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.notebook_guard import ROOT

LOCKS = ["requirements/book.lock", "requirements/all.lock"]  # the second holds the first
PINS = {
    "requirements/book.txt": LOCKS,
    "requirements.txt": LOCKS[1:],
    "requirements/bench.txt": LOCKS[1:],
}


def read(file):
    """The requirements in a file, without comments and hashes."""
    text = (ROOT / file).read_text(encoding="utf-8")
    lines = (re.split(r" \\| #", line)[0].strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if re.match(r"[A-Za-z]", line)]


def pins(requirements):
    """(name, "==version") of each requirement that is for this Python and this system."""
    here = (each for each in requirements if not each.marker or each.marker.evaluate())
    return {(canonicalize_name(each.name), str(each.specifier)) for each in here}


@pytest.mark.parametrize("file", PINS)
def test_what_is_pinned_is_locked_at_the_same_version(file):
    wanted = {pin for pin in pins(read(file)) if pin[0] != "torch"}
    for lock in PINS[file]:
        missing = wanted - pins(read(lock))
        assert not missing, f"{lock} has not {missing}: run make lock"


def test_the_book_gets_the_same_packages_alone_and_with_the_tests():
    missing = pins(read(LOCKS[0])) - pins(read(LOCKS[1]))
    assert not missing, f"{LOCKS[1]} has not {missing}: run make lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_file_has_a_hash_and_no_package_comes_from_an_address(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) == len(read(lock))
    for entry in entries:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}$", entry), f"{entry}: run make lock"
    assert "://" not in text


def test_installed_is_what_is_locked():
    for name, wanted in pins(read(LOCKS[1])):
        assert f"=={version(name)}" == wanted, f"{name}: run make setup"
