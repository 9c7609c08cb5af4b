import { choice, el, follow, grid, reset, save, slider, toPlain, toggle } from "../shared/kit.js";

const BLOCKED = { ours: -Infinity, "-inf": -Infinity, "-1e9": -1e9, "finfo.min": -Number.MAX_VALUE };
const STATE = ["scores", "cells", "real_keys", "causal", "convention", "treatment"];
const LARGEST = 16;

function compute(state) {
  const mask = allowed(state);
  const filled = state.scores.map((line, row) =>
    line.map((score, key) => (mask[row][key] ? score : BLOCKED[state.treatment])),
  );
  const weights = filled.map((line, row) =>
    state.treatment === "ours" && !mask[row].includes(true) ? line.map(() => 0) : softmax(line),
  );
  const sums = weights.map((line) => line.reduce((sum, weight) => sum + weight, 0));
  return { mask, filled: plain(filled), weights: plain(weights), sums: sums.map(toPlain) };
}

function allowed({ cells, real_keys, causal, convention }) {
  return cells.map((line, row) =>
    line.map((cell, key) => cell === (convention === "keeps") && key < real_keys && (!causal || key <= row)),
  );
}

function softmax(line) {
  const largest = Math.max(...line);
  const exponentials = line.map((score) => Math.exp(score - largest)); // −∞ − −∞ is NaN, as in PyTorch
  const sum = exponentials.reduce((total, each) => total + each, 0);
  return exponentials.map((each) => each / sum);
}

const plain = (rows) => rows.map((line) => line.map(toPlain));

function render({ model, el: root }) {
  const rows = (row) => `query ${row}`;
  const columns = (column) => `key ${column}`;
  const mask = grid({ caption: "mask", role: "values", rows, columns, onToggle: flip });
  const filled = grid({ caption: "scores after the fill", role: "queries", rows, columns, digits: 2 });
  const weights = grid({ caption: "weights", rows, columns });
  const sums = grid({ caption: "row sum", role: "masked", rows: () => "", columns: () => "Σ" });

  const queries = slider("queries", { min: 1, max: LARGEST }, (height) => resize(height, width()));
  const keys = slider("keys", { min: 1, max: LARGEST }, (wide) => resize(model.get("cells").length, wide));
  const real = slider("real keys", { min: 0, max: LARGEST }, (value) =>
    save(model, { real_keys: Math.min(value, width()) }),
  );
  const causal = toggle("causal", (value) => save(model, { causal: value }));
  const meanings = [["keeps", "may attend"], ["blocks", "is blocked"]];
  const convention = choice("1 means", meanings, (value) => save(model, { convention: value }));
  const treatments = [["ours", "−inf, empty rows 0"], ["-inf", "−inf"], ["-1e9", "−1e9"], ["finfo.min", "finfo.min"]];
  const treatment = choice("blocked scores become", treatments, (value) => save(model, { treatment: value }));

  const width = () => model.get("cells")[0].length;

  function flip(row, column) {
    const cells = model.get("cells").map((line) => [...line]);
    cells[row][column] = !cells[row][column];
    save(model, { cells });
  }

  // New cells are open, and new scores run through 0, 1, 2, 3 along each diagonal.
  function resize(height, wide) {
    const make = (old, fill) =>
      Array.from({ length: height }, (_, row) => Array.from({ length: wide }, (_, key) => old[row]?.[key] ?? fill(row, key)));
    const open = model.get("convention") === "keeps";
    save(model, {
      scores: make(model.get("scores"), (row, key) => (row + key) % 4),
      cells: make(model.get("cells"), () => open),
      real_keys: wide,
    });
  }

  root.append(
    el("div", { class: "controls" }, queries.element, keys.element, real.element, causal.element),
    el("div", { class: "controls" }, convention.element, treatment.element, reset(model, STATE)),
    el("div", { class: "grids" }, mask.element, filled.element, weights.element, sums.element),
  );

  return follow(model, [...STATE, "result"], () => {
    const result = model.get("result");
    const cells = model.get("cells");
    // Between a change of size and the kernel's answer the two do not fit together.
    if (result.mask.length !== cells.length || result.mask[0].length !== width()) return;
    const blocked = result.mask.map((line) => line.map((each) => !each));
    queries.update(cells.length);
    keys.update(width());
    real.update(model.get("real_keys"));
    causal.update(model.get("causal"));
    convention.update(model.get("convention"));
    treatment.update(model.get("treatment"));
    mask.update(cells, { blocked, scale: Infinity });
    filled.update(result.filled, { blocked, scale: largest(model.get("scores")) });
    weights.update(result.weights, { blocked });
    sums.update(result.sums.map((sum) => [sum]), { scale: Infinity });
  });
}

const largest = (rows) => Math.max(1, ...rows.flat().map(Math.abs));

export default { compute, render };
