import { choice, el, follow, format, grid, reset, save, slider, toggle } from "../shared/kit.js";

const STATE = ["token", "sublayer", "order", "variance", "rate", "training", "kept"];
const EPSILON = 1e-5;

function compute({ token, sublayer, order, variance, rate, training, kept }) {
  const dropped = training ? sublayer.map((value, n) => (kept[n] ? value / (1 - rate) : 0)) : sublayer;
  const total = token.map((value, n) => value + dropped[n]);
  const intoNorm = order === "post" ? total : token;
  const mean = sum(intoNorm) / intoNorm.length;
  const count = variance === "biased" ? intoNorm.length : intoNorm.length - 1;
  const spread = sum(intoNorm.map((value) => (value - mean) ** 2)) / count;
  const normed = intoNorm.map((value) => (value - mean) / Math.sqrt(spread + EPSILON));
  return { dropped, total, mean, variance: spread, normed };
}

const sum = (values) => values.reduce((total, each) => total + each, 0);

function render({ model, el: root }) {
  const columns = (column) => `feature ${column}`;
  const line = (caption, role, onEdit) => grid({ caption, role, rows: () => "", columns, onEdit });
  const token = line("token x", "queries", (_, n, value) => save(model, { token: replaced("token", n, value) }));
  const sublayer = line("sublayer gives", "values", (_, n, value) => save(model, { sublayer: replaced("sublayer", n, value) }));
  const dropped = line("after dropout", "values");
  const total = line("residual sum", "queries");
  const normed = line("after LayerNorm", "weights");
  const moments = el("p", { class: "verdict", role: "status" });
  const flow = el("div", { class: "grids" });

  const order = choice("order", [["post", "Post-LN"], ["pre", "Pre-LN"]], (value) => save(model, { order: value }));
  const divisors = [["biased", "biased, / D"], ["unbiased", "unbiased, / (D − 1)"]];
  const variance = choice("variance", divisors, (value) => save(model, { variance: value }));
  const size = slider("features", { min: 2, max: 8 }, resize);
  const rate = slider("dropout", { min: 0, max: 0.9, step: 0.1, digits: 1 }, (value) => save(model, { rate: value }));
  const training = toggle("training", (value) => save(model, { training: value, kept: value ? draw() : model.get("kept") }));
  const redraw = el("button", { type: "button", onclick: () => save(model, { kept: draw() }) }, "draw again");

  const replaced = (name, at, value) => model.get(name).map((each, n) => (n === at ? value : each));
  const draw = () => model.get("token").map(() => Math.random() >= model.get("rate"));

  function resize(length) {
    const fit = (values, fill) => Array.from({ length }, (_, n) => values[n] ?? fill);
    save(model, { token: fit(model.get("token"), 0), sublayer: fit(model.get("sublayer"), 0), kept: fit(model.get("kept"), true) });
  }

  root.append(
    el("div", { class: "controls" }, order.element, variance.element, size.element),
    el("div", { class: "controls" }, training.element, rate.element, redraw, reset(model, STATE)),
    flow,
    moments,
  );

  return follow(model, [...STATE, "result"], () => {
    const result = model.get("result");
    const post = model.get("order") === "post";
    if (result.total.length !== model.get("token").length) return; // the kernel has not answered yet
    order.update(model.get("order"));
    variance.update(model.get("variance"));
    size.update(model.get("token").length);
    rate.update(model.get("rate"));
    training.update(model.get("training"));
    redraw.disabled = !model.get("training");
    const scale = Math.max(1, ...[...model.get("token"), ...result.total].map(Math.abs));
    token.update([model.get("token")], { scale });
    sublayer.update([model.get("sublayer")], { scale });
    dropped.update([result.dropped], { scale, blocked: [result.dropped.map((_, n) => model.get("training") && !model.get("kept")[n])] });
    total.update([result.total], { scale });
    normed.update([result.normed], { scale: 3 });
    const boxes = post ? [token, sublayer, dropped, total, normed] : [token, normed, sublayer, dropped, total];
    boxes.forEach((box, n) => flow.children[n] !== box.element && flow.insertBefore(box.element, flow.children[n] ?? null));
    moments.textContent =
      `LayerNorm sees ${post ? "the residual sum" : "the token"}: mean ${format(result.mean)}, ` +
      `variance ${format(result.variance)}. What leaves is ${post ? "the normed sum" : "the sum, not normed"}.`;
  });
}

export default { compute, render };
