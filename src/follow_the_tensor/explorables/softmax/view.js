import { grid } from "../shared/grid.js";
import { choice, el, reset, slider } from "../shared/kit.js";

const ROW = [1, 2, 3];
const defaults = { scores: [ROW, ROW], d_k: 1, sharpness: 1, axis: -1 };
const ROOTS = [1, 4, 16, 64].map((d_k) => [d_k, String(d_k)]);
const AXES = [
  [-1, "each row"],
  [0, "each column"],
];

function compute({ scores, d_k, sharpness, axis }) {
  const scaled = scores.map((row) => row.map((score) => (score / Math.sqrt(d_k)) * sharpness));
  const lines = axis === 0 ? turn(scaled) : scaled;
  const exponentials = lines.map((line) =>
    line.map((score) => Math.exp(score - Math.max(...line))),
  );
  const sums = exponentials.map((line) => line.reduce((sum, each) => sum + each, 0));
  const weights = exponentials.map((line, n) => line.map((each) => each / sums[n]));
  return axis === 0
    ? { exponentials: turn(exponentials), sums, weights: turn(weights) }
    : { exponentials, sums, weights };
}

const turn = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]));

function render({ store, root }) {
  const labels = { rows: (row) => `query ${row}`, columns: (column) => `key ${column}` };
  const scores = grid({ caption: "scores", role: "queries", digits: 2, ...labels, onEdit: edit });
  const exponentials = grid({ caption: "exp(score − largest)", role: "values", ...labels });
  const sums = grid({ caption: "sum", role: "masked", rows: () => "", columns: () => "Σ" });
  const weights = grid({ caption: "weights", ...labels });
  const d_k = choice("÷ √d_k", ROOTS, (value) => store.set({ d_k: value }));
  const sharpness = slider("sharpness", { min: 0, max: 5, step: 0.1, digits: 1 }, (value) =>
    store.set({ sharpness: value }),
  );
  const axis = choice("adds up to 1", AXES, (value) => store.set({ axis: value }));

  function edit(row, column, number) {
    const copy = store.state.scores.map((line) => [...line]);
    copy[row][column] = number;
    store.set({ scores: copy });
  }

  const controls = [d_k.element, sharpness.element, axis.element, reset(store)];
  const grids = [scores, exponentials, sums, weights].map((each) => each.element);
  root.append(
    el("div", { class: "controls" }, ...controls),
    el("div", { class: "grids" }, ...grids),
  );

  store.follow(({ state, result }) => {
    const columns = (values) => (state.axis === 0 ? [values] : values.map((value) => [value]));
    d_k.update(state.d_k);
    sharpness.update(state.sharpness);
    axis.update(state.axis);
    scores.update(state.scores, { scale: Math.max(1, ...state.scores.flat().map(Math.abs)) });
    exponentials.update(result.exponentials);
    sums.update(columns(result.sums), { scale: Infinity });
    weights.update(result.weights);
  });
}

export default { defaults, compute, render };
