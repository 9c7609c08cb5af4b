"""What make check runs for a file, and that a wrong name given to make is answered in one line."""

from pathlib import Path

import pytest

from benchmarks import __main__ as bench
from tools import chapter, check, notebooks

PACKAGE = "src/follow_the_tensor"


@pytest.mark.parametrize(
    ("name", "file", "run"),
    [
        ("attention", f"{PACKAGE}/attention.py", "tests/package/test_attention.py"),
        ("recorder", f"{PACKAGE}/recording/recorder.py", "tests/package/test_recorder.py"),
        ("explorables/softmax", f"{PACKAGE}/explorables/softmax/view.js", "-k softmax"),
        ("notebooks/03_attention.ipynb", "notebooks/03_attention.ipynb", "--nbval"),
        ("03_attention", "notebooks/03_attention.ipynb", "-k 03_attention"),
        ("functions", "book/functions.md", "tests/notebooks/test_functions.py"),
        ("test_search", "tests/pages/test_search.py", "tests/pages/test_search.py"),
    ],
)
def test_a_name_means_files_and_a_file_has_tests(name, file, run):
    assert Path(file) in check.named(name)
    assert run in "\n".join(" ".join(map(str, each)) for each in check.runs_for(Path(file)))


def answer(command, name):
    try:
        return command(name)
    except SystemExit as stop:
        return stop.code


@pytest.mark.parametrize(
    ("command", "variable"),
    [
        (lambda name: check.main([name]), "ONLY"),
        (lambda name: notebooks.main([name]), "ONLY"),
        (lambda name: bench.main([name]), "ONLY"),
        (chapter.main, "NAME"),
    ],
)
def test_a_wrong_name_is_answered_in_one_line(command, variable):
    text = answer(command, "no/such.ipynb")
    assert text.startswith(f"{variable}=no/such.ipynb: ")
    assert "\n" not in text


def test_a_number_that_is_taken_is_refused():
    assert "03_attention.ipynb has this number already" in chapter.main("03_another_chapter")
