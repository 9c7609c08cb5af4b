import { grid } from "../shared/grid.js";
import { choice, el, format, reset, slider, toggle } from "../shared/kit.js";

const defaults = {
  token: [1, 3],
  sublayer: [9, 11],
  order: "post",
  variance: "biased",
  rate: 0.5,
  training: false,
  kept: [true, false],
};
const EPSILON = 1e-5;
const ORDERS = [
  ["post", "Post-LN"],
  ["pre", "Pre-LN"],
];
const DIVISORS = [
  ["biased", "biased, / D"],
  ["unbiased", "unbiased, / (D − 1)"],
];

function compute({ token, sublayer, order, variance, rate, training, kept }) {
  const drop = (value, n) => (kept[n] ? value / (1 - rate) : 0);
  const dropped = training ? sublayer.map(drop) : sublayer;
  const total = token.map((value, n) => value + dropped[n]);
  const intoNorm = order === "post" ? total : token;
  const mean = sum(intoNorm) / intoNorm.length;
  const count = variance === "biased" ? intoNorm.length : intoNorm.length - 1;
  const spread = sum(intoNorm.map((value) => (value - mean) ** 2)) / count;
  const normed = intoNorm.map((value) => (value - mean) / Math.sqrt(spread + EPSILON));
  return { dropped, total, mean, variance: spread, normed };
}

const sum = (values) => values.reduce((total, each) => total + each, 0);

function render({ store, root }) {
  const panes = [createControls(store), createFlow(store), createMoments()];
  root.append(...panes.flatMap((pane) => pane.elements));
  store.follow((now) => panes.forEach((pane) => pane.draw(now)));
}

function createControls(store) {
  const order = choice("order", ORDERS, (value) => store.set({ order: value }));
  const variance = choice("variance", DIVISORS, (value) => store.set({ variance: value }));
  const size = slider("features", { min: 2, max: 8 }, (length) => resize(store, length));
  const rate = slider("dropout", { min: 0, max: 0.9, step: 0.1, digits: 1 }, (value) =>
    store.set({ rate: value }),
  );
  const training = toggle("training", (value) =>
    store.set({ training: value, ...(value && drawn(store)) }),
  );
  const again = () => store.set(drawn(store));
  const redraw = el("button", { type: "button", onclick: again }, "draw again");
  const switches = [training.element, rate.element, redraw, reset(store)];
  return {
    elements: [
      el("div", { class: "controls" }, order.element, variance.element, size.element),
      el("div", { class: "controls" }, ...switches),
    ],
    draw({ state }) {
      order.update(state.order);
      variance.update(state.variance);
      size.update(state.token.length);
      rate.update(state.rate);
      training.update(state.training);
      redraw.disabled = !state.training;
    },
  };
}

// What dropout keeps in a new draw.
function drawn({ state: { token, rate } }) {
  return { kept: token.map(() => Math.random() >= rate) };
}

function resize({ state, set }, length) {
  const fit = (values, fill) => Array.from({ length }, (_, n) => values[n] ?? fill);
  set({
    token: fit(state.token, 0),
    sublayer: fit(state.sublayer, 0),
    kept: fit(state.kept, true),
  });
}

// The lines of numbers, in the order in which the token meets them.
function createFlow(store) {
  const flow = el("div", { class: "grids" });
  const columns = (column) => `feature ${column}`;
  const line = (caption, role, onEdit) =>
    grid({ caption, role, rows: () => "", columns, ...(onEdit && { onEdit }) });
  const edit = (name) => (_, at, value) =>
    store.set({ [name]: store.state[name].map((each, n) => (n === at ? value : each)) });
  const token = line("token x", "queries", edit("token"));
  const sublayer = line("sublayer gives", "values", edit("sublayer"));
  const dropped = line("after dropout", "values");
  const total = line("residual sum", "queries");
  const normed = line("after LayerNorm", "weights");
  const POST = [token, sublayer, dropped, total, normed];
  const PRE = [token, normed, sublayer, dropped, total];

  // A line that is in its place stays there, or a field would lose the focus.
  function put({ element }, n) {
    if (flow.children[n] !== element) flow.insertBefore(element, flow.children[n] ?? null);
  }

  return {
    elements: [flow],
    draw({ state, result }) {
      const scale = Math.max(1, ...[...state.token, ...result.total].map(Math.abs));
      const blocked = [state.kept.map((kept) => state.training && !kept)];
      token.update([state.token], { scale });
      sublayer.update([state.sublayer], { scale });
      dropped.update([result.dropped], { scale, blocked });
      total.update([result.total], { scale });
      normed.update([result.normed], { scale: 3 });
      (state.order === "post" ? POST : PRE).forEach(put);
    },
  };
}

function createMoments() {
  const moments = el("p", { class: "verdict", role: "status" });
  return {
    elements: [moments],
    draw({ state: { order }, result: { mean, variance } }) {
      const [seen, left] =
        order === "post"
          ? ["the residual sum", "the normed sum"]
          : ["the token", "the sum, not normed"];
      moments.textContent =
        `LayerNorm sees ${seen}: mean ${format(mean)}, variance ${format(variance)}. ` +
        `What leaves is ${left}.`;
    },
  };
}

export default { defaults, compute, render };
