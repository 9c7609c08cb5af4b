"""Widgets as a notebook saves them, with ipywidgets 8 and with Colab's ipywidgets 7.

nbclient runs a downloaded chapter and stores its widgets the way VS Code and the classic
notebook do: a view in each output, and the state of every model in the metadata.
"""

import nbformat
import pytest
from jupyter_client import KernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

from tests.support.book import BOOK
from tests.support.kernels import kernel_folder

CHAPTER = BOOK / "_sources" / "notebooks" / "05_heads_and_memory.ipynb"
VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


@pytest.fixture(scope="module", params=["newest", "colab"])
def executed(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    specs = KernelSpecManager(kernel_dirs=[str(kernel_folder(folder) / "kernels")])
    manager = KernelManager(kernel_name=request.param, kernel_spec_manager=specs)
    notebook = nbformat.read(CHAPTER, as_version=4)
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, km=manager, resources=place, timeout=300).execute()
    return notebook


def shown(notebook):
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return [output.data for output in outputs if VIEW in output.get("data", {})]


def test_every_explorable_of_the_chapter_has_a_view_and_a_still(executed):
    stored = nbformat.read(CHAPTER, as_version=4)
    stills = [
        output.data["text/html"]
        for cell in stored.cells
        for output in cell.get("outputs", [])
        if 'class="explorable"' in output.get("data", {}).get("text/html", "")
    ]
    assert stills
    assert [data["text/html"] for data in shown(executed)] == stills


def test_every_view_has_its_model_with_the_script_that_draws_it(executed):
    models = executed.metadata.widgets[STATE]["state"]
    for data in shown(executed):
        model = models[data[VIEW]["model_id"]]
        assert model["model_module"] == "anywidget"
        assert "export default" in model["state"]["_esm"]
