"""Measure everything in one run, and write the table, which the book shows (make bench).

    python -m benchmarks [PART ...]

With the names of parts only those run, and nothing is written.
"""

import datetime
import importlib
import json
import os
import platform
import sys
from dataclasses import asdict
from pathlib import Path

from .table import line

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results.json"
PARTS = ["building", "validation", "pages", "explorables", "layers", "model", "dates"]


def machine():
    """What the numbers depend on; no name of a host, no path."""
    import torch

    from tools.browser import launch

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with launch() as browser:
        chromium = browser.version
    return {
        "Processor": f"{processor()}, {os.cpu_count()} cores, {memory / 2**30:.0f} GiB of memory",
        "System": f"{system()}, {platform.machine()}",
        "Software": f"Python {platform.python_version()}, PyTorch {torch.__version__} with "
        f"{torch.get_num_threads()} threads, Chromium {chromium}",
    }


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.split(": ", 1)[1] for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:  # not Linux
        return f"{platform.system()} {platform.release()}"


def measure(name):
    """Run one part and print its rows as they come."""
    part = importlib.import_module(f"benchmarks.{name}")
    print(f"\n{part.TITLE}", flush=True)
    rows = []
    for row in part.rows():
        print(line(row), flush=True)
        rows.append({name: rounded(value) for name, value in asdict(row).items()})
    return {"module": name, "title": part.TITLE, "rows": rows}


def rounded(value):
    """A measured number to four digits, of which the last says little already."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main(names):
    if unknown := set(names) - set(PARTS):
        return f"ONLY={' '.join(sorted(unknown))}: expected some of {', '.join(PARTS)}"
    parts = [measure(name) for name in names or PARTS]
    if names:
        return 0
    date = datetime.date.today().isoformat()
    results = {"date": date, "machine": machine(), "parts": parts}
    RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"Wrote {RESULTS.relative_to(ROOT)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
