"""A real JupyterLab: an explorable follows its traits and the reverse; a download runs there."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest
from playwright.sync_api import expect

from tests.support.built_book import BOOK
from tests.support.kernels import kernel_folder

CELLS = [
    "from follow_the_tensor.explorables import Masks\nmasks = Masks()\nmasks",
    "print('cells', masks.cells)",
    "masks.treatment = '-inf'",
]
CHAPTER = "04_masks.ipynb"
# Draw every cell, not only those on the screen; ask about no news.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The address of a running JupyterLab whose folder holds CELLS and a downloaded chapter."""
    folder = tmp_path_factory.mktemp("lab")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    # Without a kernel named in it, the notebook opens with a dialog.
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    nbformat.write(notebook, folder / "widgets.ipynb")
    shutil.copy(BOOK / "_sources" / "notebooks" / CHAPTER, folder)
    use_kernel(folder / CHAPTER, "newest")
    for name, values in SETTINGS.items():
        path = folder / "CONFIG/lab/user-settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(values))
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += ["--IdentityProvider.token=", "--allow-root", f"--notebook-dir={folder}"]
    settings = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    settings["JUPYTER_PATH"] = str(kernel_folder(folder / "kernels"))
    with subprocess.Popen(
        command, env=os.environ | settings, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            wait_for(f"http://localhost:{port}/api")
            yield f"http://localhost:{port}/lab/tree"
        finally:
            server.terminate()


def use_kernel(path, name):
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.kernelspec = {"name": name, "display_name": name, "language": "python"}
    nbformat.write(notebook, path)


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def wait_for(address, attempts=240):
    for _ in range(attempts):
        try:
            with urlopen(address) as answer:
                return json.load(answer)
        except URLError:
            time.sleep(0.5)
    raise AssertionError(f"no answer from {address}")


@pytest.fixture
def open_notebook(lab, browser):
    pages = []

    def open_notebook(name):
        page = browser.new_page()
        pages.append(page)
        page.set_default_timeout(180_000)
        page.goto(f"{lab}/{name}")
        # Before the kernel answers, JupyterLab drops what is run or asks which kernel to take.
        page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
        return page

    yield open_notebook
    for page in pages:
        page.close()


def run(page, number):
    """Run the code cell with this number, and wait until it has its count."""
    cell = page.locator(".jp-CodeCell").nth(number)
    cell.locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    cell.locator(".jp-InputPrompt", has_text=f"[{number + 1}]:").wait_for()


def test_view_and_trait_follow_each_other(open_notebook):
    page = open_notebook("widgets.ipynb")
    run(page, 0)
    widget = page.locator(".jp-OutputArea .explorable")
    button = widget.get_by_role("button", name="mask, query 0, key 1")
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    widget.locator('button[aria-pressed="true"]').nth(2).wait_for()
    assert button.get_attribute("aria-pressed") == "true"

    # What the view did is what Python has.
    run(page, 1)
    printed = page.locator(".jp-OutputArea-output", has_text="cells [[True, True, True]")
    printed.wait_for()

    # What Python sets is what the view shows: row 1 is empty, and -inf gives NaN.
    assert widget.get_by_text("NaN").count() == 0
    run(page, 2)
    widget.get_by_text("NaN").first.wait_for()


def test_a_downloaded_chapter_runs_and_its_mask_is_alive(open_notebook):
    page = open_notebook(CHAPTER)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    # Stored outputs hold stills; a button to press is there only when the widget is alive.
    button = page.get_by_role("button", name="mask, query 0, key 1").first
    before = button.get_attribute("aria-pressed")
    button.dispatch_event("click")  # wherever on the long page it is
    after = "false" if before == "true" else "true"
    expect(button).to_have_attribute("aria-pressed", after)
    assert page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0
