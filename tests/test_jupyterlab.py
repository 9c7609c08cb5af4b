"""An explorable in a real JupyterLab: a click changes the Python trait, and the reverse."""

import json
import os
import socket
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest

CELLS = [
    "from follow_the_tensor.explorables import Masks\nmasks = Masks()\nmasks",
    "print('cells', masks.cells)",
    "masks.treatment = '-inf'",
]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a notebook with CELLS in a running JupyterLab."""
    folder = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    # Without a kernel named in it, the notebook opens with a dialog.
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    nbformat.write(notebook, folder / "widgets.ipynb")
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += ["--IdentityProvider.token=", "--allow-root", f"--notebook-dir={folder}"]
    settings = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    with subprocess.Popen(
        command, env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            wait_for(f"http://localhost:{port}/api")
            yield f"http://localhost:{port}/lab/tree/widgets.ipynb"
        finally:
            server.terminate()


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def wait_for(address, attempts=120):
    for _ in range(attempts):
        try:
            with urlopen(address) as answer:
                return json.load(answer)
        except URLError:
            time.sleep(0.5)
    raise AssertionError(f"no answer from {address}")


def test_view_and_trait_follow_each_other(lab, browser):
    page = browser.new_page()
    page.set_default_timeout(120_000)
    page.goto(lab)
    run = page.locator(".jp-Notebook .jp-Cell")
    run.nth(0).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")

    widget = page.locator(".jp-OutputArea .explorable")
    button = widget.get_by_role("button", name="mask, query 0, key 1")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    widget.locator('button[aria-pressed="true"]').nth(2).wait_for()
    assert button.get_attribute("aria-pressed") == "true"

    # What the view did is what Python has.
    run.nth(1).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    printed = page.locator(".jp-OutputArea-output", has_text="cells [[True, True, True]")
    printed.wait_for()

    # What Python sets is what the view shows: row 1 is empty, and -inf gives NaN.
    assert widget.get_by_text("NaN").count() == 0
    run.nth(2).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    widget.get_by_text("NaN").first.wait_for()
