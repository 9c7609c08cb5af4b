import { choice, el, field, follow, format, grid, nextId, paint, save, slider, toggle } from "../shared/kit.js";
import { clean, loadDateReader, readDate } from "../shared/date_reader.js";

// All words that the reader sees.
const WORDS = {
  text: "a date",
  pick: "or pick one",
  mine: "your own",
  source: "text",
  output: "answer",
  names: { "<pad>": "pad", "<bos>": "start", "<eos>": "end", "<unk>": "�", " ": "␣" },
  space: "space",
  empty: "Type at least one character.",
  long: (length, longest) => `${length} characters are too many: the model takes ${longest}.`,
  unknown: (characters) => `Unknown to the model, and all alike to it: ${characters}`,
  run: "run",
  pause: "pause",
  next: "next step",
  step: "step",
  count: (step, count) => `${step + 1} of ${count}`,
  soFar: (chance) => `Probability of what is written so far: ${chance}.`,
  whole: (answer, chance) => `${answer || "(nothing)"}: probability ${chance}. `,
  sure: "The model is sure, which is not the same as right.",
  doubts: "The model has doubts.",
  guesses: "The model is guessing.",
  noDay: " The calendar has no such day.",
  distribution: "next character",
  others: (count) => `${count} others`,
  kind: "attention",
  kinds: [["encoder", "encoder self"], ["decoder", "decoder self"], ["cross", "cross"]],
  layer: "layer",
  head: "head",
  looks: (query, keys) => `The shade shows where ${query} looks in the ${keys}. Click another character above.`,
  writing: (name) => `the step that writes ${name}`,
  quote: (name) => `“${name}”`,
  map: "whole map: queries down, keys across",
};
const PAUSE = 600; // milliseconds between two steps while it runs
const BARS = 5;
const STATE = ["text", "step", "kind", "layer", "head", "query"];

// --- the answer, in a page without a kernel

let reader, latest;

function compute({ text, kind, layer, head }, weights) {
  reader ??= loadDateReader(weights);
  // The model runs once for each text; other changes only choose another of its maps.
  if (latest?.text !== text) latest = { text, ...readDate(text, reader) };
  const { text: _, maps, ...answer } = latest;
  return { ...answer, kind, weights: maps[kind][layer][head] };
}

// --- the view

function render({ model, el: root }) {
  let timer = null;
  const result = () => model.get("result");
  const last = () => result().written.length - 1;
  const step = () => Math.min(model.get("step"), last());
  const query = () => Math.min(model.get("query"), result().source.length);

  const text = field(WORDS.text, (typed) => read(check(typed, result().sizes.longest)));
  const examples = picker(WORDS.pick, model.get("examples"), read);
  const unknown = el("p", { class: "message", role: "status" });
  const source = strip(WORDS.source, (n) => save(model, { kind: "encoder", query: n }));
  const output = strip(WORDS.output, (n) => {
    const kind = model.get("kind") === "encoder" ? "cross" : model.get("kind");
    save(model, { kind, step: Math.max(n - 1, 0) }); // the first tile is the start, which nobody writes
  });
  const verdict = el("p", { class: "verdict", role: "status" });
  const run = el("button", { type: "button", onclick: () => (timer ? stop() : start()) }, WORDS.run);
  const next = el("button", { type: "button", onclick: () => go(step() + 1) }, WORDS.next);
  const position = slider(WORDS.step, { min: 0, max: 0 }, go);
  const chances = bars(WORDS.distribution);
  const kind = choice(WORDS.kind, WORDS.kinds, (value) => save(model, { kind: value }));
  const { layers, heads } = result().sizes;
  const layer = choice(WORDS.layer, numbered(layers), (value) => save(model, { layer: value }));
  const head = choice(WORDS.head, numbered(heads), (value) => save(model, { head: value }));
  const looks = el("p", {});
  // On a phone the shade of one step says more than a map that has to be scrolled.
  let showMap = matchMedia("(min-width: 48rem)").matches;
  const wish = toggle(WORDS.map, (value) => {
    showMap = value;
    draw();
  });
  const map = wholeMap();

  root.append(
    el(
      "div",
      { class: "read-dates" },
      el("div", { class: "controls" }, text.element, examples.element),
      unknown,
      source.element,
      output.element,
      verdict,
      el("div", { class: "controls" }, run, next, position.element),
      el(
        "div",
        { class: "grids" },
        chances.element,
        el(
          "div",
          { class: "attention" },
          el("div", { class: "controls" }, kind.element, layer.element, head.element),
          looks,
          wish.element,
          map.element,
        ),
      ),
    ),
  );

  function read(typed) {
    save(model, { text: typed, step: result().sizes.steps - 1, query: 0 });
  }

  function go(to) {
    save(model, { step: Math.min(to, last()) });
  }

  function start() {
    go(step() === last() ? 0 : step() + 1);
    timer = setInterval(() => go(step() + 1), PAUSE);
    draw();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    draw();
  }

  function draw() {
    if (timer && step() === last()) return stop();
    text.update(model.get("text"));
    examples.update(model.get("text"));
    drawStrips();
    drawStep();
    kind.update(result().kind);
    layer.update(model.get("layer"));
    head.update(model.get("head"));
    wish.update(showMap);
    map.update(showMap, result(), result().kind === "encoder" ? query() : step());
  }

  // The query has a frame, and its weights shade the keys.
  function drawStrips() {
    const { source: characters, known, written, kind, weights } = result();
    const text = [...characters, "<eos>"];
    const fromText = kind === "encoder";
    const row = weights[fromText ? query() : step()];
    const isWritten = (n) => n <= step() + 1; // place 0 is the start, and step n writes place n + 1
    source.update(
      text.map((name, n) => ({ name, unknown: known[n] === false, weight: kind === "decoder" ? 0 : row[n] })),
      fromText ? query() : -1,
    );
    output.update(
      ["<bos>", ...written].map((name, n) => ({
        name: isWritten(n) ? name : "",
        chance: n > 0 && isWritten(n) ? chance(result(), n - 1) : undefined,
        weight: kind === "decoder" && n <= step() ? row[n] : 0,
      })),
      fromText ? -1 : step() + 1,
    );
    const name = WORDS.quote(show(fromText ? text[query()] : written[step()]));
    looks.textContent = WORDS.looks(fromText ? name : WORDS.writing(name), kind === "decoder" ? WORDS.output : WORDS.source);
    const strange = [...new Set(characters.filter((_, n) => !known[n]))];
    unknown.textContent = strange.length ? WORDS.unknown(strange.map(show).join(" ")) : "";
  }

  function drawStep() {
    position.element.querySelector("input").max = last();
    position.update(step(), WORDS.count(step(), last() + 1));
    run.textContent = timer ? WORDS.pause : WORDS.run;
    next.setAttribute("aria-disabled", String(step() === last()));
    verdict.textContent = step() === last() ? judge(result()) : WORDS.soFar(percent(product(result(), step())));
    chances.update(result(), step());
  }

  const unfollow = follow(model, [...STATE, "result"], draw);
  return () => {
    clearInterval(timer);
    unfollow();
  };
}

// --- what is said about an answer

// Throws what to tell the reader about a text that the model cannot take.
function check(typed, longest) {
  const { length } = [...clean(typed)];
  if (length === 0) throw new Error(WORDS.empty);
  if (length > longest) throw new Error(WORDS.long(length, longest));
  return typed;
}

// The probability that the model gave to the character it wrote in a step.
const chance = ({ probabilities, target, written }, step) => probabilities[step][target.indexOf(written[step])];

function product(result, step) {
  return result.written.slice(0, step + 1).reduce((sofar, _, n) => sofar * chance(result, n), 1);
}

function judge(result) {
  const whole = product(result, result.written.length - 1);
  const feeling = whole > 0.9 ? WORDS.sure : whole > 0.5 ? WORDS.doubts : WORDS.guesses;
  return WORDS.whole(result.answer, percent(whole)) + feeling + (isDay(result.answer) ? "" : WORDS.noDay);
}

function isDay(iso) {
  const date = new Date(iso);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === iso;
}

// Neither certain nor impossible is ever shown: a softmax gives neither.
function percent(share) {
  if (share > 0.999) return "> 99.9 %";
  return share < 0.001 ? "< 0.1 %" : `${(share * 100).toFixed(1)} %`;
}

// A character so that it can be seen: a mark that combines stands on a dotted circle.
const show = (name) => WORDS.names[name] ?? (/^\p{M}/u.test(name) ? `◌${name}` : name);
const numbered = (count) => Array.from({ length: count }, (_, n) => [n, String(n)]);

// --- the parts of the view

function picker(label, texts, onPick) {
  const id = nextId();
  const options = ["", ...texts].map((text) => el("option", { value: text }, text || WORDS.mine));
  const select = el("select", { id, onchange: () => select.value && onPick(select.value) }, ...options);
  return {
    element: el("div", { class: "control" }, el("label", { for: id }, label), select),
    update: (text) => (select.value = texts.includes(text) ? text : ""),
  };
}

// A row of characters, one of which may be picked; a single stop of the Tab key.
function strip(label, onPick) {
  const tiles = [];
  const row = el("div", { class: "tiles", role: "group", "aria-label": label });
  row.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = step && tiles[tiles.findIndex((tile) => tile.button === event.target) + step];
    if (!target) return;
    event.preventDefault();
    target.button.click();
    target.button.focus();
  });

  function tile(n) {
    const parts = { name: el("span", {}), chance: el("small", {}), weight: el("small", { class: "weight" }) };
    const button = el("button", { type: "button", onclick: () => onPick(n) }, ...Object.values(parts));
    row.append(button);
    return { ...parts, button };
  }

  function write({ button, ...parts }, { name, unknown = false, chance, weight }, picked) {
    parts.name.textContent = show(name) || "·";
    parts.name.classList.toggle("word", name.length > 2);
    parts.chance.textContent = chance === undefined ? "" : `${Math.floor(chance * 100)} %`;
    parts.chance.classList.toggle("message", chance < 0.5);
    parts.weight.textContent = weight >= 0.005 ? weight.toFixed(2) : "";
    button.title = name === " " ? WORDS.space : "";
    button.classList.toggle("unknown", unknown);
    button.setAttribute("aria-pressed", String(picked));
    paint(button, weight, 1, "weights");
  }

  return {
    element: el("div", { class: "strip" }, el("span", { class: "label" }, label), row),
    update(contents, picked) {
      while (tiles.length < contents.length) tiles.push(tile(tiles.length));
      while (tiles.length > contents.length) tiles.pop().button.remove();
      tiles.forEach((each, n) => {
        write(each, contents[n], n === picked);
        each.button.tabIndex = n === Math.max(picked, 0) ? 0 : -1;
      });
    },
  };
}

// The most probable characters of a step, the others in one sum.
function bars(caption) {
  const lines = Array.from({ length: BARS + 1 }, () => {
    const parts = { name: el("th", { scope: "row" }), bar: el("span", { class: "bar" }), number: el("span", {}) };
    return { ...parts, element: el("tr", {}, parts.name, el("td", {}, parts.bar, parts.number)) };
  });
  const table = el("table", { class: "bars" }, el("caption", {}, caption), el("tbody", {}, ...lines.map((line) => line.element)));

  return {
    element: table,
    update({ probabilities, target, written }, step) {
      const shares = probabilities[step].map((share, id) => ({ name: target[id], share }));
      shares.sort((a, b) => b.share - a.share);
      const rest = shares.splice(BARS);
      const others = { name: WORDS.others(rest.length), share: rest.reduce((sum, { share }) => sum + share, 0) };
      [...shares, others].forEach(({ name, share }, n) => {
        lines[n].name.textContent = show(name);
        lines[n].bar.style.setProperty("--part", share);
        lines[n].number.textContent = percent(share);
        lines[n].element.classList.toggle("chosen", name === written[step]);
      });
    },
  };
}

// All queries and keys of one head. The labels change with the text, so the table is made anew.
function wholeMap() {
  // What scrolls must be reachable by the Tab key.
  const element = el("div", { class: "map-frame", tabindex: 0, role: "group", "aria-label": WORDS.map });
  let made = {};

  return {
    element,
    update(visible, { source, written, kind, weights }, query) {
      element.hidden = !visible;
      if (!visible) return;
      const input = ["<bos>", ...written.slice(0, -1)];
      const text = [...source, "<eos>"];
      const queries = kind === "encoder" ? text.map(show) : written.map((name, n) => `${show(input[n])} → ${show(name)}`);
      const keys = (kind === "decoder" ? input : text).map(show);
      const labels = JSON.stringify([queries, keys]);
      if (made.labels !== labels) {
        made = { labels, grid: grid({ caption: "", rows: (n) => queries[n], columns: (n) => keys[n] }) };
        element.replaceChildren(made.grid.element);
      }
      made.grid.update(weights, { small: true });
      element.querySelectorAll("tbody tr").forEach((row, n) => row.classList.toggle("current", n === query));
    },
  };
}

export default { compute, render };
