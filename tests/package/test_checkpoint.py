import pytest
import torch

from follow_the_tensor.dates.checkpoint import read_checkpoint, restore, save_checkpoint
from follow_the_tensor.dates.training import train
from tests.package.test_training import new_run, weights
from tests.support.helpers import refuses

ABOUT = {"texts": "a digest"}


@pytest.fixture
def stopped(tmp_path):
    """A run with dropout, stopped after three of its six steps, and its checkpoint."""
    run = new_run(dropout=0.3)
    torch.manual_seed(7)
    train(run, until=3)
    run.curve.append({"step": 3, "loss": 1.5})
    save_checkpoint(tmp_path / "run.pt", run, ABOUT)
    return run, tmp_path / "run.pt"


def test_a_resumed_run_ends_bit_for_bit_like_one_that_never_stopped(stopped):
    run, path = stopped
    losses = [], []
    train(run, after_step=losses[0].append)
    torch.manual_seed(99)
    resumed = new_run(dropout=0.3)
    train(resumed, until=1)  # whatever it was before
    restore(resumed, read_checkpoint(path), ABOUT)
    assert (resumed.step, resumed.curve) == (3, [{"step": 3, "loss": 1.5}])
    train(resumed, after_step=losses[1].append)
    assert losses[0] == losses[1]
    assert torch.equal(weights(run), weights(resumed))
    assert run.schedule.get_last_lr() == resumed.schedule.get_last_lr()
    states = run.optimizer.state_dict()["state"], resumed.optimizer.state_dict()["state"]
    for ours, theirs in zip(*(state.values() for state in states), strict=True):
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_saving_changes_nothing_and_leaves_one_file(stopped):
    run, path = stopped
    state = torch.get_rng_state()
    save_checkpoint(path, run, ABOUT)
    assert torch.equal(state, torch.get_rng_state())
    assert [file.name for file in path.parent.iterdir()] == ["run.pt"]


def test_an_interrupted_save_leaves_the_older_file_whole(stopped, monkeypatch):
    run, path = stopped
    before = path.read_bytes()

    def break_off(content, file):
        file.write(b"half a checkpoint")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", break_off)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(path, run, ABOUT)
    assert path.read_bytes() == before


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.9, 0.999])
def test_a_checkpoint_cut_short_is_refused(stopped, share):
    _, path = stopped
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with refuses(ValueError, "checkpoint: ", "run.pt", "damaged"):
        read_checkpoint(path)


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "other"
    path.write_text("no checkpoint at all")
    with refuses(ValueError, "checkpoint: ", "damaged or is no checkpoint"):
        read_checkpoint(path)
    torch.save({"format": "another"}, path)
    with refuses(ValueError, "checkpoint: ", "expected the format"):
        read_checkpoint(path)
    torch.save([1, 2], path)
    with refuses(ValueError, "checkpoint: ", "expected the format"):
        read_checkpoint(path)
    with refuses(FileNotFoundError, "missing"):
        read_checkpoint(tmp_path / "missing")


class Evil:
    def __reduce__(self):
        return print, ("executed",)


def test_nothing_in_a_file_is_executed(tmp_path, capsys):
    path = tmp_path / "evil.pt"
    torch.save({"format": "follow-the-tensor run 1", "x": Evil()}, path)
    with refuses(ValueError, "checkpoint: "):
        read_checkpoint(path)
    assert capsys.readouterr().out == ""


def test_what_does_not_fit_is_refused(stopped):
    _, path = stopped
    content = read_checkpoint(path)
    with refuses(ValueError, "checkpoint: ", "another digest"):
        restore(new_run(dropout=0.3), content, {"texts": "another digest"})
    with refuses(ValueError, "checkpoint: ", "'dropout': 0.3", "'dropout': 0.2"):
        restore(new_run(dropout=0.2), content, ABOUT)
    with refuses(ValueError, "checkpoint: ", "expected 2 processes, got 1"):
        restore(new_run(dropout=0.3), {**content, "random_states": [0, 0]}, ABOUT)
