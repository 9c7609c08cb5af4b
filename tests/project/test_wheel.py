"""The package as a wheel: complete, under the book's names, and enough for a chapter to start."""

import email
import json
import shutil
import subprocess
import sys
import venv
from zipfile import ZipFile

import pytest

from tests.support.book import CHAPTERS, CONFIG
from tests.support.notebook_guard import PACKAGE, ROOT

PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy: a build leaves files behind."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.egg-info"))
    command = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, folder]
    subprocess.run([*PIP, *command], check=True)
    (path,) = folder.glob("*.whl")
    return path


def test_every_file_of_the_package_is_in_it(wheel):
    paths = [path for path in PACKAGE.rglob("*.*") if path.suffix != ".pyc"]
    wanted = {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in paths}
    with ZipFile(wheel) as archive:
        missing = wanted.keys() - set(archive.namelist())
        assert not missing, f"name them in package-data of pyproject.toml: {sorted(missing)}"
        for name, content in wanted.items():
            assert archive.read(name) == content, name


def test_it_names_the_author_and_the_licence(wheel):
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        fields = email.message_from_bytes(archive.read(metadata))
        licence = metadata.replace("METADATA", "licenses/LICENSE")
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert fields["Author"] == CONFIG["author"]
    assert fields["License-Expression"] == "BSD-3-Clause"


def beginning(word):
    """The code of the first chapter that uses `word`, up to the cell that does."""
    for chapter in CHAPTERS:
        cells = json.loads((ROOT / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        using = [number for number, text in enumerate(texts) if word in text]
        if using:
            return "\n".join(texts[: using[0] + 1])
    raise AssertionError(f"no chapter uses {word}: name another function of the package here")


def test_a_chapter_begins_where_only_the_wheel_is_installed(wheel, tmp_path):
    host = tmp_path / "host"
    venv.create(host)
    (site,) = host.glob("lib/python*/site-packages")
    # PyTorch and the rest are lent. Python follows no link from there to this tree's package.
    (site / "lent.pth").write_text("\n".join(p for p in sys.path if p.endswith("site-packages")))
    python = host / "bin" / "python"
    subprocess.run([*PIP, "--python", python, "install", "--no-deps", wheel], check=True)
    code = f"{beginning('load_date_reader')}\nimport follow_the_tensor as p; print(p.__file__)"
    command = [python, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(site / "follow_the_tensor" / "__init__.py")
