"""Train the language model that invents names from a shell: two to four minutes on one core."""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import torch

from ..shapes import check_size
from .inventor import NameInventor, build_model, save_name_inventor
from .task import NameTask
from .training import SETTINGS, Bigram, held_out_loss, train


def main(arguments=None):
    """Run the command and return its exit code: 0, or 2 for bad input."""
    args = parse(arguments)
    try:
        return run_command(args)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m follow_the_tensor.names",
        description="Train the language model that invents names.",
        allow_abbrev=False,
    )
    parser.add_argument("--export", metavar="FILE", required=True, help="where to write weights")
    parser.add_argument("--steps", type=int, default=SETTINGS.steps, help="default %(default)s")
    parser.add_argument("--every", type=int, default=100, help="steps between records (100)")
    return parser.parse_args(arguments)


def run_command(args):
    check_size("every", args.every)
    if not Path(args.export).parent.is_dir():
        raise ValueError(f"export: expected a folder that exists, got {args.export}")
    settings = replace(SETTINGS, steps=args.steps)
    task = NameTask()
    torch.manual_seed(settings.seed)
    model = build_model(task.vocabulary, settings.dropout)
    curve = train_and_record(model, task, settings, args.every)
    baseline = Bigram(task.train, len(task.vocabulary))
    record = task.about | {
        "curve": curve,
        "held_out": held_out_loss(model, task.held_out),
        "bigram": held_out_loss(baseline, task.held_out),
    }
    save_name_inventor(args.export, NameInventor(model, task.vocabulary, record))
    print("held-out loss per character: {held_out:.4f}, of pairs {bigram:.4f}".format(**record))
    return 0


def train_and_record(model, task, settings, every):
    """Train with a progress bar, and return the learning curve."""
    from tqdm import tqdm  # importing the package does not need it

    curve, losses = [], []
    bar = tqdm(total=settings.steps, disable=None, unit="step")  # None: only in a terminal

    def after_step(step, rate, loss):
        bar.update()
        losses.append(loss)
        if step % every == 0 or step == settings.steps:
            held_out = held_out_loss(model, task.held_out)
            mean = sum(losses) / len(losses)
            curve.append({"step": step, "rate": rate, "loss": mean, "held_out": held_out})
            print("step {step:5d}   loss {loss:.4f}   held out {held_out:.4f}".format(**curve[-1]))
            losses.clear()

    with bar:
        train(model, task.train, settings, after_step)
    return curve


if __name__ == "__main__":
    sys.exit(main())
