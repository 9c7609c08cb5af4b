"""Save a run and go on with it bit for bit."""

import io
import os
from dataclasses import asdict
from pathlib import Path

import torch

from . import parallel

FORMAT = "follow-the-tensor run 1"


def save_checkpoint(path, run, about=""):
    """Write all that changes in training: weights, optimiser, random numbers …

    The order of the data follows from the seed and the step. `about` says which data
    it was. An interrupted save leaves the older file whole. Every process calls this,
    and the first one writes.
    """
    states = parallel.gather(torch.get_rng_state())
    if parallel.rank() != 0:
        return
    content = {
        "format": FORMAT,
        "about": about,
        "settings": asdict(run.settings),
        "step": run.step,
        "curve": run.curve,
        "model": run.model.state_dict(),
        "optimizer": run.optimizer.state_dict(),
        "schedule": run.schedule.state_dict(),
        "random_states": states,
    }
    unfinished = Path(f"{path}.unfinished")
    with open(unfinished, "wb") as file:  # a missing folder is an OSError
        torch.save(content, file)
    os.replace(unfinished, path)


def read_checkpoint(path):
    """Return the content of a checkpoint. Nothing in the file is executed.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is cut short, or is something else.
    """
    file = io.BytesIO(Path(path).read_bytes())
    try:
        content = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # damage shows in many ways, all of them inside torch.load
        raise ValueError(f"checkpoint: {path} is damaged or is no checkpoint") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"checkpoint: expected the format {FORMAT!r} in {path}")
    return content


def restore(run, content, about=""):
    """Put `run` where the checkpoint `content` was saved.

    Raises:
        ValueError: settings, data, sizes of the model or number of processes differ.
    """
    now = {"settings": asdict(run.settings), "about": about}
    for name, value in now.items():
        if content[name] != value:
            raise ValueError(f"checkpoint: expected {name} {content[name]}, got {value}")
    states = content["random_states"]
    if len(states) != parallel.world_size():
        raise ValueError(
            f"checkpoint: expected {len(states)} processes, got {parallel.world_size()}"
        )
    try:
        run.model.load_state_dict(content["model"])
    except RuntimeError as error:
        raise ValueError(f"checkpoint: the model has other sizes. {error}") from error
    run.optimizer.load_state_dict(content["optimizer"])
    run.schedule.load_state_dict(content["schedule"])
    run.step, run.curve = content["step"], list(content["curve"])
    torch.set_rng_state(states[parallel.rank()])
