"""One call of real code, line by line, the way a debugger shows it."""

import html
from itertools import groupby

import traitlets

from ..shared.base import Explorable, Whole

LINES_ON_PAPER = 60


class Stepper(Explorable):
    """Step through a recording: source, call stack, and every local with its numbers.

    `step_through(layer, *inputs)` makes one.

    Traits:
        recording: the `data` of a `follow_the_tensor.recording.recorder.Recording`
        step: the index of the step that is shown
    """

    module = "stepper"

    recording = traitlets.Dict().tag(sync=True, state=True)
    step = Whole(0, min=0).tag(sync=True, state=True)

    def __init__(self, recording, **state):
        super().__init__(recording=recording, **state)

    def still(self):
        lines = list(_lines(self.recording))
        rows = []
        for function, group in groupby(lines[:LINES_ON_PAPER], key=lambda line: line[0]):
            rows.append(f'<tr><th colspan="2" scope="rowgroup">{html.escape(function)}</th></tr>')
            for _, code, made in group:
                code = f"<code>{html.escape(code)}</code>"
                rows.append(f"<tr><td>{code}</td><td>{html.escape(made)}</td></tr>")
        if len(lines) > LINES_ON_PAPER:
            rows.append(f"<tr><td>…</td><td>{len(lines) - LINES_ON_PAPER} more</td></tr>")
        head = '<tr><th scope="col">line</th><th scope="col">makes</th></tr>'
        caption = "<caption>What each line makes</caption>"
        return "\n".join(['<table class="listing">', caption, head, *rows, "</table>"])

    @traitlets.validate("recording")
    def _check_recording(self, proposal):
        if not proposal["value"].get("steps"):
            raise traitlets.TraitError(
                f"recording: expected the `data` of a Recording, got {proposal['value']!r}"
            )
        return proposal["value"]

    @traitlets.observe("recording")
    def _stay_inside(self, change):
        self.step = min(self.step, len(self.recording["steps"]) - 1)

    @traitlets.validate("step")
    def _check_step(self, proposal):
        last = len(self.recording["steps"]) - 1
        if proposal["value"] > last:
            raise traitlets.TraitError(
                f"step: expected at most {last}, the last step, got {proposal['value']}"
            )
        return proposal["value"]


def _lines(recording):
    """(function, code of a line, what it made) for each line that made something."""
    before = {}  # frame -> the code of the line that ran last in it
    for frame, number, event, changes, outcome in recording["steps"]:
        function = recording["functions"][recording["frames"][frame][0]]
        made = [_made(recording, name, entry) for name, entry in changes.items() if entry]
        if made and frame in before:
            yield function["name"], before[frame], ", ".join(made)
        code = function["source"].split("\n")[number - 1]
        before[frame] = code.split("  # ")[0].strip()
        if event in ("return", "yield"):
            yield function["name"], before[frame], f"{event}s {describe(recording, outcome)}"
        elif event == "exception":
            yield function["name"], before[frame], f"{outcome['type']}: {outcome['message']}"


def _made(recording, name, entry):
    is_number = recording["values"][entry[0]]["kind"] == "text"
    return f"{name}{' =' if is_number else ''} {describe(recording, entry)}"


def describe(recording, entry):
    """A value in a word or two: [B=2, L=6, D=12] for a tensor."""
    value = recording["values"][entry[0]]
    if value["kind"] == "tensor":
        names = recording["axes"][entry[1]] if len(entry) > 1 else [None] * len(value["shape"])
        sizes = zip(names, value["shape"], strict=True)
        return (
            "[" + ", ".join(f"{name}={size}" if name else f"{size}" for name, size in sizes) + "]"
        )
    if value["kind"] == "module":
        return value["class"]
    if value["kind"] == "text":
        return value["text"]
    return "(" + ", ".join(describe(recording, entry) for _, *entry in value["items"]) + ")"
