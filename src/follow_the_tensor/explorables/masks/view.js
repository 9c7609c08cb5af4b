import { grid } from "../shared/grid.js";
import { choice, el, reset, slider, toPlain, toggle } from "../shared/kit.js";

const defaults = {
  scores: [
    [2, 1, 0],
    [3, 2, 1],
  ],
  cells: [
    [true, false, true],
    [false, false, false],
  ],
  real_keys: 3,
  causal: false,
  convention: "keeps",
  treatment: "masked_softmax",
};
const FLOAT32_MIN = -(2 - 2 ** -23) * 2 ** 127;
const BLOCKED = {
  masked_softmax: -Infinity,
  "-inf": -Infinity,
  "-1e9": -1e9,
  "finfo.min": FLOAT32_MIN,
};
const LARGEST = 16;
const MEANINGS = [
  ["keeps", "may attend"],
  ["blocks", "is blocked"],
];
const TREATMENTS = Object.keys(BLOCKED).map((name) => [name, name]);

function compute(state) {
  const mask = allowed(state);
  const filled = state.scores.map((line, row) =>
    line.map((score, key) => (mask[row][key] ? score : BLOCKED[state.treatment])),
  );
  const isZero = (row) => state.treatment === "masked_softmax" && !mask[row].includes(true);
  const weights = filled.map((line, row) => (isZero(row) ? line.map(() => 0) : softmax(line)));
  const sums = weights.map((line) => line.reduce((sum, weight) => sum + weight, 0));
  return { mask, filled: plain(filled), weights: plain(weights), sums: sums.map(toPlain) };
}

function allowed(state) {
  const keeps = state.convention === "keeps";
  return state.cells.map((line, row) =>
    line.map((cell, key) => cell === keeps && !isFixed(state, row, key)),
  );
}

// Padding and causality block a cell, whatever the reader makes of it.
const isFixed = ({ real_keys, causal }, row, key) => key >= real_keys || (causal && key > row);

function softmax(line) {
  const top = Math.max(...line);
  const exponentials = line.map((score) => Math.exp(score - top)); // −∞ − −∞ is NaN, as in PyTorch
  const sum = exponentials.reduce((total, each) => total + each, 0);
  return exponentials.map((each) => each / sum);
}

const plain = (rows) => rows.map((line) => line.map(toPlain));

function render({ store, root }) {
  const panes = [createControls(store), createGrids(store)];
  root.append(...panes.flatMap((pane) => pane.elements));
  store.follow((now) => panes.forEach((pane) => pane.draw(now)));
}

function createControls(store) {
  const set = (name) => (value) => store.set({ [name]: value });
  const size = ({ cells }) => [cells.length, cells[0].length];
  const queries = slider("queries", { min: 1, max: LARGEST }, (height) =>
    resize(store, height, size(store.state)[1]),
  );
  const keys = slider("keys", { min: 1, max: LARGEST }, (width) =>
    resize(store, size(store.state)[0], width),
  );
  const real_keys = slider("real keys", { min: 0, max: LARGEST }, (value) =>
    store.set({ real_keys: Math.min(value, size(store.state)[1]) }),
  );
  const causal = toggle("causal", set("causal"));
  const convention = choice("1 means", MEANINGS, set("convention"));
  const treatment = choice("treatment of blocked scores", TREATMENTS, set("treatment"));
  const sizes = [queries, keys, real_keys, causal].map((each) => each.element);
  return {
    elements: [
      el("div", { class: "controls" }, ...sizes),
      el("div", { class: "controls" }, convention.element, treatment.element, reset(store)),
    ],
    draw({ state }) {
      queries.update(size(state)[0]);
      keys.update(size(state)[1]);
      for (const [name, control] of Object.entries({ real_keys, causal, convention, treatment })) {
        control.update(state[name]);
      }
    },
  };
}

// New cells are open, and new scores run through 0, 1, 2, 3 along each diagonal.
function resize({ state, set }, height, width) {
  const make = (old, fill) =>
    Array.from({ length: height }, (_, row) =>
      Array.from({ length: width }, (_, key) => old[row]?.[key] ?? fill(row, key)),
    );
  set({
    scores: make(state.scores, (row, key) => (row + key) % 4),
    cells: make(state.cells, () => state.convention === "keeps"),
    real_keys: width,
  });
}

function createGrids(store) {
  const labels = { rows: (row) => `query ${row}`, columns: (column) => `key ${column}` };
  const mask = grid({ caption: "mask", role: "values", ...labels, onToggle: flip });
  const filled = grid({ caption: "scores after the fill", role: "queries", digits: 2, ...labels });
  const weights = grid({ caption: "weights", ...labels });
  const sums = grid({ caption: "row sum", role: "masked", rows: () => "", columns: () => "Σ" });

  function flip(row, column) {
    const cells = store.state.cells.map((line) => [...line]);
    cells[row][column] = !cells[row][column];
    store.set({ cells });
  }

  const grids = [mask, filled, weights, sums].map((each) => each.element);
  return {
    elements: [el("div", { class: "grids" }, ...grids)],
    draw({ state, result }) {
      const each = (make) =>
        result.mask.map((line, row) => line.map((cell, key) => make(cell, row, key)));
      const blocked = each((cell) => !cell);
      const fixed = each((_, row, key) => isFixed(state, row, key));
      const shown = state.convention === "keeps" ? result.mask : blocked;
      mask.update(shown, { blocked, fixed, scale: Infinity });
      filled.update(result.filled, { blocked, scale: largest(state.scores) });
      weights.update(result.weights, { blocked });
      sums.update(
        result.sums.map((sum) => [sum]),
        { scale: Infinity },
      );
    },
  };
}

const largest = (rows) => Math.max(1, ...rows.flat().map(Math.abs));

export default { defaults, compute, render };
