"""The package takes releases that it was run with, and none that would replace Colab's."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.support.notebook_guard import ROOT
from tools.versions import read

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOWEST = "PYTHON=python3.11 RESOLUTION=lowest-direct"
COLAB = "PYTHON=python3.12 RESOLUTION=highest TORCH=2.9.0 CONSTRAINT=requirements/colab.txt"


def versions(requirements, operator):
    """Name -> version; each requirement has one version, and `operator` before it."""
    found = {}
    for requirement in map(Requirement, requirements):
        (specifier,) = requirement.specifier
        assert specifier.operator == operator, requirement
        found[requirement.name] = Version(specifier.version)
    return found


def colab():
    lines = (ROOT / "requirements/colab.txt").read_text(encoding="utf-8").splitlines()
    return versions((line for line in lines if not line.startswith("#")), "==")


BOUNDS = versions(PROJECT["dependencies"], ">=")
PYTHON = PROJECT["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("name", BOUNDS)
def test_every_lower_bound_was_run(name):
    assert Version(read()[LOWEST][name]) == BOUNDS[name], f"run make versions {LOWEST}"


def test_the_lowest_python_was_run_and_is_named():
    assert read()[LOWEST]["python"].startswith(f"{PYTHON}."), f"run make versions {LOWEST}"
    for name in ("README.md", "Makefile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert f"Python {PYTHON} or newer" in text, f"name Python {PYTHON} in {name}"


@pytest.mark.parametrize("name", BOUNDS)
def test_no_lower_bound_is_above_what_colab_has(name):
    assert BOUNDS[name] <= Version(read()[COLAB][name]), "lower the bound in pyproject.toml"


@pytest.mark.parametrize("name", sorted(BOUNDS.keys() - {"torch"}))
def test_what_colab_has_was_run(name):
    assert Version(read()[COLAB][name]) == colab()[name], f"run make versions {COLAB}"
