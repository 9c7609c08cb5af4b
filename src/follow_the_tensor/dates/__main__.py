"""Train the date reader from a shell: arguments, progress bar, stop and resume."""

import argparse
import signal
import sys
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import torch

from ..shapes import check_size
from . import parallel
from .checkpoint import read_checkpoint, restore, save_checkpoint
from .reader import DateReader, build_model, save_date_reader
from .task import KINDS, DateTask
from .training import Run, Settings, exact_match, train

PAIRS = {"train_pairs": 43_200, "held_out_pairs": 2_160}
DEFAULTS = asdict(Settings()) | PAIRS


def main(arguments=None):
    """Run the command and return its exit code: 0, 2 for bad input, 128 + n for signal n."""
    args = parse(arguments)
    try:
        with parallel.processes(), noted_signals() as signals:
            return run_command(args, signals)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m follow_the_tensor.dates",
        description="Train the model that reads dates. Works under torchrun too.",
        allow_abbrev=False,
    )
    parser.add_argument("--out", help="checkpoint to write (date_reader.pt, or the resumed one)")
    parser.add_argument("--resume", metavar="CHECKPOINT", help="go on where this one was saved")
    parser.add_argument("--export", metavar="FILE", help="write float16 weights at the end")
    parser.add_argument("--every", type=int, default=100, help="steps between records (100)")
    for name, default in DEFAULTS.items():
        option = "--" + name.replace("_", "-")
        parser.add_argument(option, type=type(default), help=f"default {default}")
    return parser.parse_args(arguments)


def run_command(args, signals):
    check_size("every", args.every)
    if args.export and not Path(args.export).parent.is_dir():
        raise ValueError(f"export: expected a folder that exists, got {args.export}")
    content = read_checkpoint(args.resume) if args.resume else None
    chosen = choose(args, content)
    task = DateTask(*(chosen.pop(name) for name in PAIRS))
    run = new_run(task, Settings(**chosen))
    if content:
        restore(run, content, task.about)
    out = args.out or args.resume or "date_reader.pt"
    save_checkpoint(out, run, task.about)  # a path that cannot be written fails here, not later
    train_and_record(run, task, args.every, out, signals)
    save_checkpoint(out, run, task.about)
    first = parallel.rank() == 0
    if run.step < run.settings.steps:
        if first:
            print(f"Stopped at step {run.step}; --resume {out} goes on from there.")
        return 128 + signals[0]
    if first:
        report(run, task)
    if first and args.export:
        reader = DateReader(run.model, task.source, task.target, run.curve)
        save_date_reader(args.export, reader)
    return 0


def choose(args, content):
    """Merge defaults, checkpoint and options; an option may not contradict a checkpoint."""
    chosen = dict(DEFAULTS)
    if content:
        chosen |= content["settings"] | {name: content["about"][name] for name in PAIRS}
    for name in DEFAULTS:
        value = getattr(args, name)
        if value is not None and content and value != chosen[name]:
            raise ValueError(f"{name}: the checkpoint was made with {chosen[name]}, got {value}")
        if value is not None:
            chosen[name] = value
    return chosen


def new_run(task, settings):
    """Make an untrained model and its run. Processes differ only in their dropout."""
    torch.manual_seed(settings.seed)
    model = build_model(task.source, task.target, settings.dropout)
    run = Run(model, *task.train, settings)
    torch.manual_seed(settings.seed + parallel.rank())
    return run


def train_and_record(run, task, every, out, signals):
    """Train with a progress bar; every so many steps extend the curve and save."""
    from tqdm import tqdm  # importing the package does not need it

    quiet = True if parallel.rank() else None  # None: a bar only where a terminal is
    bar = tqdm(total=run.settings.steps, initial=run.step, disable=quiet, unit="step")
    losses = []

    def after_step(loss):
        losses.append(loss)
        bar.update()
        bar.set_postfix(loss=f"{loss:.4f}", refresh=False)
        if run.step % every == 0 or run.step == run.settings.steps:
            run.curve.append(record(run, task, sum(losses) / len(losses)))
            losses.clear()
            save_checkpoint(out, run, task.about)
        # All processes must stop at the same step.
        return parallel.total(len(signals)) > 0

    with bar:
        train(run, after_step=after_step)


def record(run, task, loss):
    """One point of the learning curve, with the exact matches of ten strings of each kind."""
    src, tgt = task.held_out
    some = 10 * len(KINDS)
    return {
        "step": run.step,
        "rate": run.schedule.get_last_lr()[0],
        "loss": loss,
        "exact": exact_match(run.model, src[:some], tgt[:some]).float().mean().item(),
    }


def report(run, task):
    hits = exact_match(run.model, *task.held_out).float()  # [N]
    for point in run.curve:
        print("step {step:5d}   loss {loss:.4f}   exact {exact:.4f}".format(**point))
    print(f"exact matches: {int(hits.sum())} of {len(hits)} held-out strings")
    languages = {}
    for n, hit in enumerate(hits.tolist()):
        languages.setdefault(KINDS[n % len(KINDS)][0], []).append(hit)
    worst = min(languages, key=lambda name: sum(languages[name]) / len(languages[name]))
    rate = sum(languages[worst]) / len(languages[worst])
    print(f"lowest rate of a language: {rate:.4f} ({worst})")


@contextmanager
def noted_signals():
    """Collect Ctrl-C and SIGTERM in a list, so that the step in hand can be finished.

    torchrun sends its processes the signal a second time, so more of them change nothing.
    """
    noted = []
    wanted = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda n, frame: noted.append(n)) for number in wanted]
    try:
        yield noted
    finally:
        for number, handler in zip(wanted, before, strict=True):
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
