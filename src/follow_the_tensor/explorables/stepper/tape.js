// A recording, made ready to be looked up by step.

const MOST_STOPS = 12;

function prepare(recording) {
  const steps = stepsOf(recording);
  const functionOf = (frame) => recording.functions[recording.frames[frame][0]];
  const caller = (frame) => recording.frames[frame][1];
  return {
    recording,
    steps,
    functionOf,
    last: steps.length - 1,
    checks: new Set(recording.checks),
    stops: stopsOf(recording, steps),
    value: ([index]) => recording.values[index],
    axes: ([, index]) => recording.axes[index] ?? [],
    // The frames that are running at a step, the outermost first.
    stack(number) {
      const frames = [];
      let { frame } = steps[number];
      for (; frame >= 0; frame = caller(frame)) frames.unshift(frame);
      return frames;
    },
    // The steps in one function, whatever the frame.
    stepsIn: (fn) => steps.filter((step) => functionOf(step.frame) === fn),
  };
}

// Every step with the locals of its frame, and with the frame's step before it.
function stepsOf({ steps, values }) {
  const latest = []; // frame -> its latest step so far
  return steps.map(([frame, line, event, changes, outcome], number) => {
    const before = latest[frame];
    const locals = new Map(before?.locals);
    for (const [name, entry] of Object.entries(changes)) {
      if (entry === null) locals.delete(name);
      else locals.set(name, { entry, before: locals.get(name)?.entry, since: number });
    }
    const changed = before ? Object.keys(changes) : [];
    // The numbers of what was changed last stay open until something else has numbers to show.
    const isOpened = (entry) => entry && values[entry[0]].kind !== "text";
    const opens = !before || Object.values(changes).some(isOpened);
    const opened = opens ? number : before.opened;
    latest[frame] = { number, frame, line, event, outcome, locals, changed, before, opened };
    return latest[frame];
  });
}

// The tensors that lines have made, as [name, step]: of calls inside calls only so many as a row of
// buttons holds.
function stopsOf({ stops, frames, values }, steps) {
  const depth = (frame) => (frame < 0 ? 0 : 1 + depth(frames[frame][1]));
  const tensors = Object.entries(stops).filter(([name, number]) => {
    const local = steps[number].locals.get(name);
    return local && values[local.entry[0]].kind === "tensor";
  });
  const upTo = (most) => tensors.filter(([, number]) => depth(steps[number].frame) <= most);
  return [4, 3, 2, 1].map(upTo).find((some) => some.length <= MOST_STOPS) ?? [];
}

// What the panes draw: a step, and a frame of its stack, which runs or waits for the one that runs.
function momentOf(tape, number, frame) {
  const now = tape.steps[number];
  const at = tape.steps.slice(0, number + 1).findLast((step) => step.frame === frame);
  return { tape, number, frame, at, fn: tape.functionOf(frame), isRunning: at === now };
}

// The nearest step in a direction that is no check, or the very next where all are.
function along(tape, number, direction, isSkipping) {
  let to = number + direction;
  while (isSkipping && tape.checks.has(to)) to += direction;
  return to < 0 || to > tape.last ? number + direction : to;
}

// The nearest step, in a direction, that is not deeper in calls than this one.
function beside(tape, number, direction) {
  const depth = tape.stack(number).length;
  let to = number + direction;
  while (to > 0 && to < tape.last && tape.stack(to).length > depth) to += direction;
  return to;
}

// The next step at a line of a function; after the last, the first.
function nextAt(tape, number, fn, line) {
  const here = tape.stepsIn(fn).filter((step) => step.line === line);
  return (here.find((step) => step.number > number) ?? here[0]).number;
}

// A value in a word or two: [B=2, L=6, D=12] for a tensor.
function brief(tape, entry) {
  const value = tape.value(entry);
  if (value.kind === "text") return value.text;
  if (value.kind === "module") return value.class;
  if (value.kind !== "tensor") {
    return `(${value.items.map(([, ...item]) => brief(tape, item)).join(", ")})`;
  }
  const axes = tape.axes(entry);
  const sizes = value.shape.map((size, axis) => (axes[axis] ? `${axes[axis]}=${size}` : size));
  return `[${sizes.join(", ")}]`;
}

export { along, beside, brief, momentOf, nextAt, prepare };
