"""How long nbval validates all chapters, beside the floor below which no way of doing it gets.

The floor is the start of a kernel for each chapter and the time that its cells take by the
kernel's own clock, split evenly over the two workers.
"""

import multiprocessing
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import datetime
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from .table import Row, seconds

TITLE = "Validating all chapters"
CHAPTERS = sorted((Path(__file__).resolve().parent.parent / "notebooks").glob("*.ipynb"))
WORKERS = 2
ROUNDS = 2
# As in make test: outputs must be the same on old processors, and workers share the cores.
ENVIRONMENT = {**os.environ, "ATEN_CPU_CAPABILITY": "default", "OMP_NUM_THREADS": "1"}


def validate():
    options = ["--nbval", "--nbval-current-env", "-p", "no:cacheprovider", "-q"]
    workers = ["-n", str(WORKERS), "--dist", "loadfile"]
    command = [sys.executable, "-m", "pytest", *options, *workers, *CHAPTERS]
    subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def execute(path):
    """Run a chapter and compare nothing; return seconds of the kernel's start and of the cells."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        record_timing=True,
    )
    begin = time.perf_counter()
    with client.setup_kernel(env=ENVIRONMENT, cwd=str(path.parent)):
        start = time.perf_counter() - begin
        for n, cell in enumerate(notebook.cells):
            client.execute_cell(cell, n)
    times = (cell["metadata"].get("execution") for cell in notebook.cells)
    return start, sum(map(own_time, filter(None, times)))


def own_time(execution):
    busy, idle = (execution[f"iopub.status.{state}"] for state in ("busy", "idle"))
    return (datetime.fromisoformat(idle) - datetime.fromisoformat(busy)).total_seconds()


def execute_all():
    # A fork of this process would bring along what the other benchmarks have loaded.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, mp_context=spawn) as pool:
        return list(pool.map(execute, CHAPTERS))


def measure():
    """Seconds of one round: validating, executing, the floor, and one start of a kernel."""
    validating = seconds(validate)
    begin = time.perf_counter()
    parts = execute_all()
    executing = time.perf_counter() - begin
    starts, cells = zip(*parts, strict=True)
    return validating, executing, (sum(starts) + sum(cells)) / WORKERS, statistics.median(starts)


def rows():
    rounds = zip(*(measure() for _ in range(ROUNDS)), strict=True)
    validating, executing, floor, start = map(statistics.median, rounds)
    how = f"{ROUNDS} rounds in turns, {WORKERS} chapters at once"
    against = "floor, starts of kernels and the cells' own time", floor
    yield Row("with nbval, as make test does", validating, "s", how, *against)
    yield Row("executing with nbclient, no comparison", executing, "s", how, *against)
    yield Row("start of one kernel", start, "s", f"{ROUNDS * len(CHAPTERS)} starts")
