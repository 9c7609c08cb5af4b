import { choice, el, follow, grid, reset, save, slider } from "../shared/kit.js";

function compute({ scores, d_k, sharpness, axis }) {
  const scaled = scores.map((row) => row.map((score) => (score / Math.sqrt(d_k)) * sharpness));
  const lines = axis === 0 ? turn(scaled) : scaled;
  const exponentials = lines.map((line) => line.map((score) => Math.exp(score - Math.max(...line))));
  const sums = exponentials.map((line) => line.reduce((sum, each) => sum + each, 0));
  const weights = exponentials.map((line, n) => line.map((each) => each / sums[n]));
  return axis === 0
    ? { exponentials: turn(exponentials), sums, weights: turn(weights) }
    : { exponentials, sums, weights };
}

const turn = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]));

const STATE = ["scores", "d_k", "sharpness", "axis"];

function render({ model, el: root }) {
  const rows = (row) => `query ${row}`;
  const columns = (column) => `key ${column}`;
  const scores = grid({ caption: "scores", role: "queries", rows, columns, digits: 2, onEdit: edit });
  const exponentials = grid({ caption: "exp(score − largest)", role: "values", rows, columns });
  const sums = grid({ caption: "sum", role: "masked", rows: () => "", columns: () => "Σ" });
  const weights = grid({ caption: "weights", role: "weights", rows, columns });
  const d_k = slider("d_k", { min: 1, max: 256 }, (value) => save(model, { d_k: value }));
  const sharpness = slider("sharpness", { min: 0, max: 5, step: 0.1, digits: 1 }, (value) =>
    save(model, { sharpness: value }),
  );
  const axis = choice("adds up to 1", [[-1, "each row"], [0, "each column"]], (value) => save(model, { axis: value }));

  function edit(row, column, number) {
    const copy = model.get("scores").map((line) => [...line]);
    copy[row][column] = number;
    save(model, { scores: copy });
  }

  root.append(
    el("div", { class: "controls" }, d_k.element, sharpness.element, axis.element, reset(model, STATE)),
    el("div", { class: "grids" }, scores.element, exponentials.element, sums.element, weights.element),
  );

  return follow(model, [...STATE, "result"], () => {
    const result = model.get("result");
    const byRow = model.get("axis") === -1;
    const largest = Math.max(1, ...model.get("scores").flat().map(Math.abs));
    d_k.update(model.get("d_k"));
    sharpness.update(model.get("sharpness"));
    axis.update(model.get("axis"));
    scores.update(model.get("scores"), { scale: largest });
    exponentials.update(result.exponentials);
    sums.update(byRow ? result.sums.map((sum) => [sum]) : [result.sums], { scale: Infinity });
    weights.update(result.weights);
  });
}

export default { compute, render };
