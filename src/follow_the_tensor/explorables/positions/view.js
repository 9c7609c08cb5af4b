import { el, field, follow, grid, parse, reset, save, slider, svg } from "../shared/kit.js";

const STATE = ["d_model", "length", "base"];
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];
const TONES = ["queries", "keys", "values", "weights"];
const WITH_NUMBERS = 8;

function compute({ d_model, length, base }) {
  const round = Math.fround; // the table is float32, as in PyTorch
  const table = range(length).map((position) =>
    range(d_model).map((feature) => round(wave(feature)(position / slowness(feature, base, d_model)))),
  );
  const dot = (a, b) => a.reduce((sum, each, n) => sum + each * b[n], 0);
  return { table, products: table.map((row) => table.map((other) => dot(row, other))) };
}

// Two features, a sine and a cosine, share one speed; each pair is slower than the one before.
const slowness = (feature, base, d_model) => base ** ((feature - (feature % 2)) / d_model);
const wave = (feature) => (feature % 2 === 0 ? Math.sin : Math.cos);
const range = (count) => Array.from({ length: count }, (_, n) => n);

function render({ model, el: root }) {
  const table = grid({ caption: "table", role: "queries", rows: (row) => `position ${row}` });
  const products = grid({ caption: "dot product of two positions", role: "weights", digits: 2 });
  const curves = el("figure", { class: "curves" });
  const d_model = slider("d_model", { min: 1, max: 32 }, (value) => save(model, { d_model: value }));
  const length = slider("length", { min: 1, max: 32 }, (value) => save(model, { length: value }));
  const base = field("base", (text) => save(model, { base: parse(text, { min: 1, max: 1e6 }) }));

  root.append(
    el("div", { class: "controls" }, d_model.element, length.element, base.element, reset(model, STATE)),
    el("div", { class: "grids" }, table.element, curves, products.element),
  );

  return follow(model, [...STATE, "result"], () => {
    const result = model.get("result");
    d_model.update(model.get("d_model"));
    length.update(model.get("length"));
    base.update(String(model.get("base")));
    table.update(result.table, { small: result.table[0].length > WITH_NUMBERS || result.table.length > WITH_NUMBERS });
    products.update(result.products, { small: result.table.length > WITH_NUMBERS, scale: result.products[0][0] });
    drawCurves(curves, model.get("d_model"), model.get("base"), model.get("length"));
  });
}

// The first features, drawn between the positions too, so that the waves can be seen.
function drawCurves(figure, d_model, base, length) {
  const [width, height] = [300, 150];
  const shown = range(Math.min(4, d_model));
  const end = Math.max(length - 1, 1);
  const line = (feature) => {
    const slow = slowness(feature, base, d_model);
    return range(201)
      .map((n) => `${((n / 200) * width).toFixed(1)},${(height / 2) * (1 - 0.95 * wave(feature)((n / 200) * end / slow))}`)
      .join(" ");
  };
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `features ${shown.join(", ")} over positions 0 to ${end}` });
  picture.append(svg("line", { x1: 0, x2: width, y1: height / 2, y2: height / 2, stroke: "var(--ftt-line)" }));
  for (const n of shown) {
    picture.append(svg("polyline", { points: line(n), fill: "none", "stroke-width": 2, stroke: `var(--ftt-${TONES[n]})`, "stroke-dasharray": DASHES[n] }));
  }
  const legend = shown.map((n) => {
    const sample = svg("svg", { viewBox: "0 0 30 10", class: "sample", "aria-hidden": "true" });
    sample.append(svg("line", { x1: 0, x2: 30, y1: 5, y2: 5, "stroke-width": 2, stroke: `var(--ftt-${TONES[n]})`, "stroke-dasharray": DASHES[n] }));
    return el("span", {}, sample, ` feature ${n} `);
  });
  figure.replaceChildren(el("figcaption", {}, `first features over positions 0 to ${end}`), picture, el("div", { class: "legend" }, ...legend));
}

export default { compute, render };
