"""Run what takes the fixture `device` on every device that is there, and name them at the end."""

import pytest
import torch

THERE = {
    "cpu": True,
    "cuda": torch.cuda.is_available(),
    "mps": torch.backends.mps.is_available(),
}
DEVICES = [name for name, there in THERE.items() if there]


@pytest.fixture(scope="session", params=DEVICES)
def device(request):
    """A device that computes; for shapes alone there is "meta" beside these."""
    return request.param


def pytest_terminal_summary(terminalreporter):
    missing = [name for name in THERE if name not in DEVICES]
    without = f"; not there: {', '.join(missing)}" if missing else ""
    terminalreporter.write_line(f"Devices tried: {', '.join(DEVICES)}, meta for shapes{without}.")
