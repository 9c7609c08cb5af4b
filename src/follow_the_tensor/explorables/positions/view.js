import { grid } from "../shared/grid.js";
import { el, field, reset, slider, svg } from "../shared/kit.js";
import { parse } from "../shared/typed.js";

const defaults = { d_model: 4, length: 3, base: 10000 };
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];
const TONES = ["queries", "keys", "values", "weights"];
const WITH_NUMBERS = 8;
const [WIDTH, HEIGHT] = [300, 150];

function compute({ d_model, length, base }) {
  const round = Math.fround; // the table is float32, as in PyTorch
  const table = range(length).map((position) =>
    range(d_model).map((feature) =>
      round(wave(feature)(position / slowness(feature, base, d_model))),
    ),
  );
  const dot = (a, b) => a.reduce((sum, each, n) => sum + each * b[n], 0);
  return { table, products: table.map((row) => table.map((other) => dot(row, other))) };
}

// Two features, a sine and a cosine, share one speed; each pair is slower than the one before.
const slowness = (feature, base, d_model) => base ** ((feature - (feature % 2)) / d_model);
const wave = (feature) => (feature % 2 === 0 ? Math.sin : Math.cos);
const range = (count) => Array.from({ length: count }, (_, n) => n);

function render({ store, root }) {
  const table = grid({ caption: "table", role: "queries", rows: (row) => `position ${row}` });
  const products = grid({ caption: "dot product of two positions", digits: 2 });
  const curves = el("figure", { class: "curves" });
  const set = (name) => (value) => store.set({ [name]: value });
  const d_model = slider("d_model", { min: 1, max: 32 }, set("d_model"));
  const length = slider("length", { min: 1, max: 32 }, set("length"));
  const base = field("base", (text) => store.set({ base: parse(text, { min: 1 }) }));

  root.append(
    el("div", { class: "controls" }, d_model.element, length.element, base.element, reset(store)),
    el("div", { class: "grids" }, table.element, curves, products.element),
  );

  store.follow(({ state, result }) => {
    d_model.update(state.d_model);
    length.update(state.length);
    base.update(String(state.base));
    const isLong = state.length > WITH_NUMBERS;
    table.update(result.table, { small: isLong || state.d_model > WITH_NUMBERS });
    products.update(result.products, { small: isLong, scale: result.products[0][0] });
    drawCurves(curves, state);
  });
}

// The first features, drawn between the positions too, so that the waves can be seen.
function drawCurves(figure, state) {
  const shown = range(Math.min(4, state.d_model));
  const end = Math.max(state.length - 1, 1);
  const name = `features ${shown.join(", ")} over positions 0 to ${end}`;
  const box = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name };
  const middle = { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke: "var(--ftt-line)" };
  const picture = svg("svg", box);
  picture.append(svg("line", middle), ...shown.map((feature) => curve(feature, end, state)));
  figure.replaceChildren(
    el("figcaption", {}, `first features over positions 0 to ${end}`),
    picture,
    el("div", { class: "legend" }, ...shown.map(legend)),
  );
}

function curve(feature, end, { base, d_model }) {
  const slow = slowness(feature, base, d_model);
  const value = (share) => wave(feature)((share * end) / slow);
  const points = range(201).map((n) => {
    const y = (HEIGHT / 2) * (1 - 0.95 * value(n / 200));
    return `${((n / 200) * WIDTH).toFixed(1)},${y}`;
  });
  return svg("polyline", { points: points.join(" "), fill: "none", ...stroke(feature) });
}

function legend(feature) {
  const sample = svg("svg", { viewBox: "0 0 30 10", class: "sample", "aria-hidden": "true" });
  sample.append(svg("line", { x1: 0, x2: 30, y1: 5, y2: 5, ...stroke(feature) }));
  return el("span", {}, sample, ` feature ${feature} `);
}

const stroke = (feature) => ({
  "stroke-width": 2,
  stroke: `var(--ftt-${TONES[feature]})`,
  "stroke-dasharray": DASHES[feature],
});

export default { defaults, compute, render };
