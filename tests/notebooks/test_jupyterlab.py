"""A real JupyterLab: an explorable follows its traits and the reverse; a download runs there."""

import json
import os
import shutil
import subprocess
import sys
import time

import nbformat
import pytest
from playwright.sync_api import TimeoutError as TooLate

from tests.support.book import BOOK
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
# JupyterLab's own promises say when a notebook has its kernel and when cells have run.
OPEN = """async path => {
    const app = globalThis.jupyterapp;
    await app.restored;
    globalThis.notebook = await app.commands.execute("docmanager:open", { path });
    await notebook.revealed;
    await notebook.sessionContext.ready;
    await notebook.sessionContext.session.kernel.info;
    return true;
}"""
RUN = """async number => {
    const { commands, shell } = globalThis.jupyterapp;
    shell.activateById(notebook.id);
    if (number === null) return commands.execute("notebook:run-all-cells");
    notebook.content.activeCellIndex = number;
    return commands.execute("notebook:run-cell");
}"""
STATE = """() => {
    const kernel = globalThis.notebook?.sessionContext.session?.kernel;
    if (!kernel) return "the notebook has no kernel yet";
    const cells = notebook.content.widgets.filter(cell => cell.model.type === "code");
    const ran = `${cells.filter(cell => cell.model.executionCount).length} of ${cells.length}`;
    const wrong = cells.flatMap(cell => cell.model.outputs.toJSON())
        .filter(output => output.output_type === "error" || output.name === "stderr");
    return `kernel ${kernel.connectionStatus}, ${kernel.status}; ${ran} cells have run; `
        + `wrong: ${JSON.stringify(wrong).slice(0, 2000)}`;
}"""


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
    command = [sys.executable, "-m", "jupyterlab", "--no-browser"]
    command += ["--LabApp.expose_app_in_browser=True", "--IdentityProvider.token="]
    command += ["--allow-root", f"--notebook-dir={folder}"]
    settings = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    settings["JUPYTER_PATH"] = str(kernel_folder(folder / "kernels"))
    log = folder / "log"
    with (
        log.open("w") as output,
        subprocess.Popen(
            command, env=os.environ | settings, stdout=output, stderr=output
        ) as server,
    ):
        try:
            yield address(server, folder / "RUNTIME", log)
        finally:
            server.terminate()


def address(server, runtime, log):
    """What JupyterLab notes down once it listens, at a port that it has found free."""
    for _ in range(600):
        for note in runtime.glob("jpserver-*.json"):
            if (text := note.read_text()).endswith("}"):  # written to its end
                return json.loads(text)["url"] + "lab"
        assert server.poll() is None, log.read_text()
        time.sleep(0.5)
    raise AssertionError(f"JupyterLab did not start in five minutes:\n{log.read_text()}")


def use_kernel(path, name):
    notebook = nbformat.read(path, as_version=4)
    notebook.metadata.kernelspec = {"name": name, "display_name": name, "language": "python"}
    nbformat.write(notebook, path)


@pytest.fixture
def open_notebook(lab, browser):
    pages = []

    def open_notebook(name):
        page = browser.new_page()
        pages.append(page)
        page.set_default_timeout(180_000)
        page.goto(lab)
        page.wait_for_function("globalThis.jupyterapp")
        keep(page, "the notebook", OPEN, name)
        return page

    yield open_notebook
    for page in pages:
        page.close()


def run(page, number=None):
    """Run the code cell with this number, or all of them, to the end."""
    keep(page, "the end of the run", RUN, number)


def keep(page, what, script, argument):
    """Wait until JupyterLab has kept a promise, five minutes at most."""
    late = "new Promise(done => setTimeout(done, 300_000, false))"
    kept = page.evaluate(f"given => Promise.race([({script})(given), {late}])", argument)
    assert kept, f"{what} did not come: {page.evaluate(STATE)}"


def wait_for(page, what, locator):
    try:
        locator.wait_for()
    except TooLate:
        raise AssertionError(f"{what} did not come: {page.evaluate(STATE)}") from None


def test_view_and_trait_follow_each_other(open_notebook):
    page = open_notebook("widgets.ipynb")
    run(page, 0)
    widget = page.locator(".jp-OutputArea .explorable")
    button = widget.get_by_role("button", name="mask, query 0, key 1")
    wait_for(page, "the mask", button)
    assert button.get_attribute("aria-pressed") == "false"
    button.click()
    wait_for(page, "the pressed button", widget.locator('button[aria-pressed="true"]').nth(2))
    assert button.get_attribute("aria-pressed") == "true"

    # What the view did is what Python has.
    run(page, 1)
    printed = page.locator(".jp-OutputArea-output", has_text="cells [[True, True, True]")
    wait_for(page, "what the cell printed", printed)

    # What Python sets is what the view shows: row 1 is empty, and -inf gives NaN.
    assert widget.get_by_text("NaN").count() == 0
    run(page, 2)
    wait_for(page, "NaN", widget.get_by_text("NaN").first)


def test_a_downloaded_chapter_runs_and_its_mask_is_alive(open_notebook):
    page = open_notebook(CHAPTER)
    run(page)
    # Stored outputs hold stills; a button to press is there only when the widget is alive.
    button = page.get_by_role("button", name="mask, query 0, key 1").first
    wait_for(page, "the mask", button)
    pressed = button.get_attribute("aria-pressed") == "true"
    button.dispatch_event("click")  # wherever on the long page it is
    after = button.and_(page.locator(f'[aria-pressed="{str(not pressed).lower()}"]'))
    wait_for(page, "the click", after)
    assert page.evaluate(STATE).endswith("wrong: []")
