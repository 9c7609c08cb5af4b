import { el, follow, format, nextId, paint, save, slider, svg, toNumber } from "../shared/kit.js";

// All words that the reader sees.
const WORDS = {
  controls: { first: "first step", back: "back", play: "play", pause: "pause", forward: "forward", over: "over the call", last: "last step" },
  step: "step",
  count: (step, count) => `${step + 1} of ${count}`,
  stack: "call stack",
  source: (name) => `source of ${name}`,
  locals: (name) => `values in ${name}`,
  docstring: (lines) => `… ${lines} more lines of docstring`,
  called: (name) => `${name} starts.`,
  made: (line, names) => `Line ${line} changed ${names}.`,
  nothing: (line) => `Line ${line} changed no local.`,
  next: (line) => `Next: line ${line}.`,
  waits: (name, line) => `${name} waits in line ${line} for the call to return.`,
  returns: (line, value) => `Line ${line} returns ${value}.`,
  yields: (line, value) => `Line ${line} yields ${value}.`,
  raises: (line, type, message) => `Line ${line} raises ${type}: ${message}`,
  outcome: { return: "returned", yield: "yielded" },
  changed: "changed",
  contiguous: "contiguous",
  scattered: "not contiguous",
  stride: (strides) => `stride (${strides})`,
  empty: "no elements",
  unseen: "no numbers to show",
  part: (parts, low, high) => `A corner of it: ${parts}. All values lie from ${low} to ${high}.`,
  share: (name, shown, size) => `${name} ${shown} of ${size}`,
  axis: (number) => `axis ${number}:`,
  moves: "to the next step at this line",
  cut: (count) => `The recording ends after ${count} steps. The call itself ran on.`,
};

const ICONS = {
  first: "M4 3v10M12 3 7 8l5 5",
  back: "M10 3 5 8l5 5",
  play: "M4.5 2.5v11l8.5-5.5z",
  pause: "M5 3v10M11 3v10",
  forward: "M6 3l5 5-5 5",
  over: "M2 11c0-7 11-8 11 0M10 8.5l3 3 2.5-3.5",
  last: "M12 3v10M4 3l5 5-5 5",
};
const PAUSE = 1000; // milliseconds between two steps while it plays

// --- the recording, made ready to be looked up by step

function prepare(recording) {
  const latest = []; // frame -> its latest step so far
  const steps = recording.steps.map(([frame, line, event, changes, outcome], number) => {
    const before = latest[frame];
    const locals = new Map(before?.locals);
    for (const [name, entry] of Object.entries(changes)) {
      if (entry === null) locals.delete(name);
      else locals.set(name, { entry, before: locals.get(name)?.entry, since: number });
    }
    const changed = before ? Object.keys(changes) : [];
    // The numbers of what was changed last stay open until something else has numbers to show.
    const hasNumbers = Object.values(changes).some((entry) => entry && recording.values[entry[0]].kind !== "text");
    const opened = hasNumbers || !before ? number : before.opened;
    return (latest[frame] = { number, frame, line, event, outcome, locals, changed, before, opened });
  });
  const of = (frame) => recording.functions[recording.frames[frame][0]];
  const caller = (frame) => recording.frames[frame][1];

  return {
    steps,
    functionOf: of,
    value: ([index]) => recording.values[index],
    axes: ([, index]) => recording.axes[index] ?? [],
    // The frames that are running at a step, the outermost first.
    stack(number) {
      const frames = [];
      for (let frame = steps[number].frame; frame >= 0; frame = caller(frame)) frames.unshift(frame);
      return frames;
    },
    // Where a frame is while step `number` is shown.
    latest: (frame, number) => steps.slice(0, number + 1).findLast((step) => step.frame === frame),
    // The lines of a function that have a step.
    stops: (frame) => new Set(steps.filter((step) => of(step.frame) === of(frame)).map((step) => step.line)),
  };
}

// --- the view

function render({ model, el: root }) {
  let recording, tape, frame, shown;
  let timer = null;
  const pinned = new Map(); // what the reader has opened or closed
  const unfolded = new Set(); // functions whose docstring is shown whole

  const buttons = Object.fromEntries(
    ["first", "back", "play", "forward", "over", "last"].map((name) => [name, iconButton(name, () => act(name))]),
  );
  const position = slider(WORDS.step, { min: 0, max: 0 }, (step) => go(step));
  const stack = el("ol", { class: "calls", "aria-label": WORDS.stack });
  const status = el("p", { class: "status", "aria-live": "polite" });
  const source = el("ol", { class: "source" });
  const values = el("div", { class: "values", role: "group" });
  const cut = el("p", { class: "quiet" });
  const view = el(
    "div",
    { class: "stepper" },
    el("div", { class: "controls" }, el("div", { class: "buttons" }, ...Object.values(buttons)), position.element),
    stack,
    status,
    el("div", { class: "panes" }, source, values),
    cut,
  );
  view.addEventListener("keydown", onKey);
  root.append(view);

  const step = () => Math.min(model.get("step"), count() - 1);
  const count = () => tape.steps.length;

  function go(to) {
    const target = Math.min(Math.max(to, 0), count() - 1);
    if (target !== step()) save(model, { step: target });
  }

  // The nearest step, in a direction, that is not deeper in calls than this one.
  function beside(direction) {
    const depth = tape.stack(step()).length;
    let to = step() + direction;
    while (to > 0 && to < count() - 1 && tape.stack(to).length > depth) to += direction;
    return to;
  }

  function act(name) {
    if (name === "play") return timer ? pause() : play();
    pause();
    go({ first: 0, back: step() - 1, forward: step() + 1, over: beside(1), last: count() - 1 }[name]);
  }

  function play() {
    if (step() === count() - 1) go(0);
    timer = setInterval(() => (step() < count() - 1 ? go(step() + 1) : pause()), PAUSE);
    status.setAttribute("aria-live", "off"); // nobody can listen that fast
    setIcon(buttons.play, "pause");
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    status.setAttribute("aria-live", "polite");
    setIcon(buttons.play, "play");
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const inSource = source.contains(event.target);
    const action = {
      ArrowRight: () => act(event.shiftKey ? "over" : "forward"),
      ArrowLeft: () => (event.shiftKey ? go(beside(-1)) : act("back")),
      Home: () => act("first"),
      End: () => act("last"),
      ArrowDown: inSource && (() => moveFocus(event.target, 1)),
      ArrowUp: inSource && (() => moveFocus(event.target, -1)),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation(); // a notebook would move to another cell
    action();
  }

  function moveFocus(from, direction) {
    const lines = [...source.querySelectorAll("button")];
    lines[lines.indexOf(from) + direction]?.focus();
  }

  // Go on to the next step at a line of the function that is shown; after the last, to the first.
  function goToLine(line) {
    const here = (each) => each.line === line && tape.functionOf(each.frame) === tape.functionOf(frame);
    const next = tape.steps.slice(step() + 1).find(here) ?? tape.steps.find(here);
    pause();
    go(next.number);
  }

  // --- drawing

  function draw() {
    if (recording !== model.get("recording")) {
      recording = model.get("recording");
      tape = prepare(recording);
      position.element.querySelector("input").max = count() - 1;
      cut.textContent = recording.cut ? WORDS.cut(recording.cut) : "";
      cut.hidden = !recording.cut;
      shown = undefined;
    }
    const now = tape.steps[step()];
    position.update(now.number, WORDS.count(now.number, count()));
    // Not `disabled`: that would take the focus away and with it the arrow keys.
    for (const name of ["first", "back"]) buttons[name].setAttribute("aria-disabled", now.number === 0);
    for (const name of ["forward", "over", "last"]) buttons[name].setAttribute("aria-disabled", now.number === count() - 1);
    show(now.frame);
  }

  // Show a frame of the stack: the running one, or one that waits for it.
  function show(which) {
    frame = which;
    const now = tape.steps[step()];
    const at = tape.latest(frame, now.number);
    const focused = view.getRootNode().activeElement;
    const hadFocus = view.contains(focused);
    drawStack(tape.stack(now.number));
    drawSource(at, at === now);
    drawValues(at, at === now);
    reveal(source, source.querySelector("[aria-current]")?.parentElement, 0.4);
    reveal(values, values.querySelector(".value.changed"), 0.1);
    status.textContent = at === now ? report(at) : WORDS.waits(tape.functionOf(frame).name, at.line);
    if (hadFocus && !view.contains(focused)) source.querySelector("[aria-current]")?.focus({ preventScroll: true });
  }

  function report({ frame, line, event, outcome, changed, before }) {
    const past = before
      ? changed.length ? WORDS.made(before.line, changed.join(", ")) : WORDS.nothing(before.line)
      : WORDS.called(tape.functionOf(frame).name);
    if (event === "exception") return WORDS.raises(line, outcome.type, outcome.message);
    if (event === "line") return `${past} ${WORDS.next(line)}`;
    return (event === "return" ? WORDS.returns : WORDS.yields)(line, brief(tape, outcome));
  }

  function drawStack(frames) {
    const items = frames.map((each) => {
      const current = each === frame ? { "aria-current": "true" } : {};
      const button = el("button", { type: "button", ...current, onclick: () => show(each) }, tape.functionOf(each).name);
      return el("li", {}, button);
    });
    stack.replaceChildren(...items);
  }

  function drawSource(at, running) {
    const fn = tape.functionOf(frame);
    if (shown !== fn) writeSource(fn);
    shown = fn;
    const end = fn.heads.find(([first]) => first === at.line)?.[1] ?? at.line;
    const past = at.event === "line" ? at.before?.line : undefined;
    for (const item of source.children) {
      const line = item.value;
      const current = line >= at.line && line <= end;
      const marks = { current, past: line === past, waits: current && !running };
      for (const event of ["return", "yield", "exception"]) marks[event] = current && at.event === event;
      for (const [mark, on] of Object.entries(marks)) item.classList.toggle(mark, on);
      const button = item.querySelector("button");
      if (line === at.line) button?.setAttribute("aria-current", "step");
      else button?.removeAttribute("aria-current");
      if (button) button.tabIndex = line === at.line ? 0 : -1;
      item.querySelector(".message")?.remove();
      if (line === end && at.event === "exception") {
        item.append(el("span", { class: "message" }, `${at.outcome.type}: ${at.outcome.message}`));
      }
    }
  }

  function writeSource(fn) {
    const [from, to] = fn.docstring ?? [0, 0];
    const folded = (line) => line > from && line <= to && !unfolded.has(fn);
    const stops = tape.stops(frame);
    const items = fn.source.split("\n").flatMap((text, index) => {
      const line = index + 1;
      if (folded(line)) return line === from + 1 ? [fold(fn, line, to - from)] : [];
      return [sourceLine(line, text, stops.has(line), line >= from && line <= to)];
    });
    source.replaceChildren(...items);
    source.setAttribute("aria-label", WORDS.source(fn.name));
    source.style.setProperty("--digits", `${String(fn.source.split("\n").length).length}ch`);
  }

  function sourceLine(line, text, stop, isString) {
    const indent = text.search(/\S|$/) + 2; // where a line that is too long goes on
    const parts = isString ? [el("span", { class: "string" }, text)] : highlight(text);
    const code = el("code", {}, ...parts);
    code.style.setProperty("--indent", `${indent}ch`);
    const inner = stop
      ? el("button", { type: "button", title: WORDS.moves, onclick: () => goToLine(line) }, code)
      : el("span", {}, code);
    return el("li", { value: line }, inner);
  }

  function fold(fn, line, lines) {
    const open = () => {
      unfolded.add(fn);
      shown = undefined;
      show(frame);
    };
    return el("li", { value: line, class: "fold" }, el("button", { type: "button", onclick: open }, WORDS.docstring(lines)));
  }

  // Scroll a pane, never the page. `share` of the pane is left above the item.
  function reveal(pane, item, share) {
    if (!item) return;
    const { offsetTop: top, offsetHeight: height } = item;
    const outside = top < pane.scrollTop || top + height > pane.scrollTop + pane.clientHeight;
    if (outside) pane.scrollTop = top - Math.max(0, Math.min(share * pane.clientHeight, pane.clientHeight - height));
  }

  function drawValues(at, running) {
    const fn = tape.functionOf(frame);
    values.setAttribute("aria-label", WORDS.locals(fn.name));
    const changed = new Set(running ? at.changed : []);
    const facts = [];
    const cards = [];
    const outcome = running && WORDS.outcome[at.event];
    if (outcome && isText(at.outcome)) facts.push(fact(outcome, at.outcome, true, ""));
    else if (outcome) cards.push(card(outcome, { entry: at.outcome }, { marked: true, open: true, mark: "" }));
    for (const [name, local] of at.locals) {
      const marked = changed.has(name);
      const mark = marked ? el("span", { class: "badge" }, WORDS.changed) : "";
      if (isText(local.entry)) facts.push(fact(name, local.entry, marked, mark));
      else {
        const key = `${fn.name}.${name}`;
        const isNew = local.since === at.opened && tape.value(local.entry).kind !== "module" && !outcome;
        const open = marked || (pinned.get(key) ?? isNew);
        cards.push(card(name, local, { marked, open, key, mark }));
      }
    }
    values.replaceChildren(...(facts.length ? [el("p", { class: "facts" }, ...facts)] : []), ...cards);
  }

  const isText = (entry) => tape.value(entry).kind === "text";

  function fact(name, entry, marked, mark) {
    return el("span", { class: marked ? "fact changed" : "fact" }, el("b", {}, name), ` = ${tape.value(entry).text}`, mark);
  }

  // A head that opens and closes. Not <details>, which every host styles in its own way.
  function card(name, { entry, before }, { marked, open, key, mark }) {
    const head = el(
      "button",
      { type: "button", class: "head" },
      el("b", {}, name),
      " ",
      el("span", { class: "shape" }, brief(tape, entry)),
      mark,
      layout(tape.value(entry)),
    );
    const body = el("div", { class: "body" });
    const set = (isOpen) => {
      head.setAttribute("aria-expanded", isOpen);
      body.hidden = !isOpen;
      if (isOpen && !body.hasChildNodes()) body.append(content(tape, name, entry, before));
      return isOpen;
    };
    head.addEventListener("click", () => pinned.set(key, set(body.hidden)));
    set(open);
    return el("div", { class: marked ? "value changed" : "value" }, head, body);
  }

  const stop = follow(model, ["recording", "step"], draw);
  return () => {
    pause();
    stop();
  };
}

// --- values

// A value in a word or two: [B=2, L=6, D=12] for a tensor.
function brief(tape, entry) {
  const value = tape.value(entry);
  if (value.kind === "text") return value.text;
  if (value.kind === "module") return value.class;
  if (value.kind !== "tensor") return `(${value.items.map(([, ...item]) => brief(tape, item)).join(", ")})`;
  const axes = tape.axes(entry);
  return `[${value.shape.map((size, axis) => (axes[axis] ? `${axes[axis]}=${size}` : size)).join(", ")}]`;
}

// Type and memory layout of a tensor.
function layout(value) {
  if (value.kind !== "tensor") return "";
  const parts = [el("span", {}, value.dtype)];
  if (value.stride) {
    parts.push(el("span", {}, WORDS.stride(value.stride.join(", "))));
    parts.push(el("span", { class: value.contiguous ? "" : "scattered" }, value.contiguous ? WORDS.contiguous : WORDS.scattered));
  }
  return el("span", { class: "layout" }, ...parts);
}

function content(tape, name, entry, before) {
  const value = tape.value(entry);
  if (value.kind === "tensor") return numbers(name, value, tape.axes(entry), before && tape.value(before));
  const list = el("ul", { class: "parts" });
  if (value.kind === "module") {
    const past = before && tape.value(before).kind === "module" && parts(tape.value(before)).map(String);
    for (const [part, text] of parts(value)) {
      const fresh = past && !past.includes(`${part},${text}`);
      list.append(el("li", { class: fresh ? "fresh" : "" }, el("b", {}, part), ` ${text}`));
    }
  } else {
    for (const [part, ...item] of value.items) {
      const summary = el("span", {}, el("b", {}, part), " ", el("span", { class: "shape" }, brief(tape, item)), layout(tape.value(item)));
      list.append(el("li", {}, summary, tape.value(item).kind === "text" ? "" : content(tape, name, item)));
    }
  }
  return list;
}

// What a module holds: its numbers, the shapes of its tensors, the classes of its modules.
const parts = ({ numbers, tensors, children }) => [
  ...Object.entries(numbers).map(([name, text]) => [name, `= ${text}`]),
  ...Object.entries(tensors).map(([name, shape]) => [name, `[${shape.join(", ")}]`]),
  ...Object.entries(children),
];

// The numbers of a tensor: the last two axes as a grid, one grid for each index of the others.
function numbers(name, value, axes, before) {
  if (value.values === undefined) return el("p", { class: "quiet" }, WORDS.unseen);
  if (value.shape.includes(0)) return el("p", { class: "quiet" }, WORDS.empty);
  const shown = value.shown ?? value.shape;
  const called = (axis) => axes[axis] ?? WORDS.axis(axis);
  const look = { ...style(name, value), rows: axes.at(-2), columns: axes.at(-1) };
  const same = before && before.values !== undefined && String(before.shape) === String(value.shape) && String(before.shown) === String(value.shown);
  const panels = [];
  const walk = (part, old, indices) => {
    if (indices.length < shown.length - 2) {
      part.forEach((each, index) => walk(each, old?.[index], [...indices, index]));
    } else {
      const told = indices.map((index, axis) => (axes[axis] || value.shape[axis] > 1) && `${called(axis)} ${index}`);
      const caption = told.filter(Boolean).join(" · ");
      panels.push(panel(caption, asRows(part, shown.length), old && asRows(old, shown.length), look));
    }
  };
  walk(value.values, same ? before.values : undefined, []);
  const box = el("div", { class: "panels" }, ...panels);
  if (value.shown) {
    const parts = value.shape.map((size, axis) => WORDS.share(called(axis), shown[axis], size));
    box.append(el("p", { class: "quiet" }, WORDS.part(parts.join(", "), format(value.min), format(value.max))));
  }
  return box;
}

const asRows = (part, rank) => (rank === 0 ? [[part]] : rank === 1 ? [part] : part);

// Colour: weights always run from 0 to 1, so that two grids can be compared.
function style(name, value) {
  if (value.dtype === "bool") return { role: "values", scale: 1 };
  if (/weights|attention/.test(name)) return { role: "weights", scale: 1 };
  const all = [value.values, value.min ?? 0, value.max ?? 0].flat(Infinity).map(toNumber);
  return { role: "queries", scale: Math.max(...all.filter(Number.isFinite).map(Math.abs), 1e-9) };
}

function panel(caption, rows, old, { role, scale, rows: rowName, columns: columnName }) {
  const named = [rowName && rows.length > 1 && `${rowName} ↓`, columnName && `${columnName} →`].filter(Boolean);
  const head = el("tr", {}, el("td", {}, named.join(" ")), ...rows[0].map((_, column) => el("th", { scope: "col" }, column)));
  const lines = rows.map((line, row) => {
    const cells = line.map((number, column) => {
      const fresh = old && old[row][column] !== number;
      const special = { nan: "wrong", "-inf": "blocked" }[number] ?? "";
      const cell = el("td", { class: `${special}${fresh ? " fresh" : ""}` }, format(number));
      paint(cell, toNumber(number), scale, role);
      return cell;
    });
    return el("tr", {}, el("th", { scope: "row" }, row), ...cells);
  });
  return el("table", { class: "grid" }, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...lines));
}

// --- small parts

function iconButton(name, onclick) {
  const button = el("button", { type: "button", onclick });
  setIcon(button, name);
  return button;
}

function setIcon(button, name) {
  const icon = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: name === "play" ? "filled" : "" });
  icon.append(svg("path", { d: ICONS[name] }));
  button.replaceChildren(icon);
  button.title = WORDS.controls[name];
  button.setAttribute("aria-label", WORDS.controls[name]);
}

const TOKENS = /(#.*$)|("""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(def|class|return|yield|if|elif|else|for|while|in|not|and|or|is|None|True|False|lambda|with|as|try|except|finally|raise|import|from|pass|break|continue|del|assert)\b/g;

// Comments, strings and keywords of one line of Python.
function highlight(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    parts.push(...breakable(text.slice(end, match.index)));
    const aside = text.slice(0, match.index).trim() ? "comment aside" : "comment";
    parts.push(el("span", { class: match[1] ? aside : match[2] ? "string" : "keyword" }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, ...breakable(text.slice(end))];
}

// A long line may go on in the next one after an opening bracket and before a dot.
const breakable = (text) => text.split(/(?<=\w[([])|(?=\.\D)/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

export default { render };
