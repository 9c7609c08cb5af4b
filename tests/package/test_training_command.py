import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from follow_the_tensor import load_date_reader
from follow_the_tensor.dates import __main__ as training_command
from follow_the_tensor.dates.__main__ import main
from follow_the_tensor.dates.checkpoint import read_checkpoint

SMALL = "--train-pairs 108 --held-out-pairs 54 --batch 8 --warmup 2".split()
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def options(tmp_path, *more):
    return [*SMALL, "--out", str(tmp_path / "run.pt"), *more]


def stop_after(step, monkeypatch):
    """Send this process a Ctrl-C in the middle of the given step."""
    count = iter(range(1, 1000))
    honest = training_command.parallel.total

    def total(number):
        if next(count) == 3 * step - 2:  # three sums in a step: labels, loss, signals
            signal.raise_signal(signal.SIGINT)
        return honest(number)

    monkeypatch.setattr(training_command.parallel, "total", total)


def parameters(path):
    return read_checkpoint(path)["model"]


def test_a_whole_run(tmp_path, capsys):
    weights, handler = tmp_path / "w.safetensors", signal.getsignal(signal.SIGINT)
    assert main(options(tmp_path, "--steps", "4", "--every", "2", "--export", str(weights))) == 0
    out = capsys.readouterr().out
    assert [line.split("loss")[0] for line in out.split("\n")[:2]] == [
        "step     2   ",
        "step     4   ",
    ]
    assert "exact matches: 0 of 54 held-out strings" in out
    reader = load_date_reader(weights)
    for name, parameter in reader.model.named_parameters():
        assert torch.equal(parameter, parameters(tmp_path / "run.pt")[name].half().float())
    assert [point["step"] for point in reader.curve] == [2, 4]
    assert set(reader.curve[0]) == {"step", "rate", "loss", "exact"}
    assert signal.getsignal(signal.SIGINT) == handler


def test_ctrl_c_stops_cleanly_and_resume_ends_the_same(tmp_path, capsys, monkeypatch):
    whole, path = tmp_path / "whole", str(tmp_path / "run.pt")
    whole.mkdir()
    steps = ["--steps", "5", "--every", "2"]
    assert main(options(whole, *steps)) == 0
    with monkeypatch.context() as patch:
        stop_after(3, patch)
        assert main(options(tmp_path, *steps)) == 130
    said = capsys.readouterr().out.split("\n")[-2]
    assert said == f"Stopped at step 3; --resume {path} goes on from there."
    assert read_checkpoint(path)["step"] == 3
    assert main(["--resume", path]) == 0
    expected = parameters(whole / "run.pt")
    assert all(torch.equal(value, expected[name]) for name, value in parameters(path).items())
    # A finished run can be resumed too: nothing is left but the report.
    assert main(["--resume", path, "--seed", "0"]) == 0


def test_an_option_may_not_contradict_the_checkpoint(tmp_path, capsys):
    assert main(options(tmp_path, "--steps", "1")) == 0
    assert main(["--resume", str(tmp_path / "run.pt"), "--batch", "16"]) == 2
    assert "batch: the checkpoint was made with 8, got 16" in capsys.readouterr().err


def test_a_damaged_checkpoint_is_one_sentence(tmp_path, capsys):
    path = tmp_path / "run.pt"
    path.write_bytes(b"PK\x03\x04 half a file")
    assert main(["--resume", str(path)]) == 2
    assert "is damaged or is no checkpoint" in capsys.readouterr().err


def test_ctrl_c_in_a_real_shell(tmp_path):
    out = tmp_path / "run.pt"
    command = [sys.executable, "-m", "follow_the_tensor.dates"]
    command += options(tmp_path, "--steps", "100000", "--every", "1")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not out.exists() and process.poll() is None:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    said, complaint = process.communicate(timeout=120)
    assert process.returncode == 130, complaint
    assert said.startswith("Stopped at step ")
    assert said.count("\n") == 1
    assert "Traceback" not in complaint
    assert read_checkpoint(out)["step"] == int(said.split()[3].rstrip(";"))


def test_two_processes_train_like_one(tmp_path):
    steps = ["--steps", "3", "--every", "1", "--dropout", "0"]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command = [*launch, "-m", "follow_the_tensor.dates", *options(tmp_path, *steps)]
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT, timeout=240)
    two = read_checkpoint(tmp_path / "run.pt")
    alone = tmp_path / "alone"
    alone.mkdir()
    assert main(options(alone, *steps)) == 0
    one = read_checkpoint(alone / "run.pt")
    assert len(two["random_states"]) == 2
    assert not torch.equal(*two["random_states"])
    assert [p["loss"] for p in two["curve"]] == pytest.approx(
        [p["loss"] for p in one["curve"]], rel=1e-5
    )
    for name, value in one["model"].items():
        if name.endswith("W_k.bias"):
            continue  # its gradient is zero but for rounding, which AdamW blows up
        assert torch.allclose(value, two["model"][name], atol=1e-4), name
