import { el, field, follow, parse, reset, save } from "../shared/kit.js";

const STATE = ["left", "right"];
const MOST_AXES = 6;

// Align from the right; sizes fit when they are equal or one of them is 1.
function compute({ left, right }) {
  const pairs = aligned(left, right);
  return { shape: pairs.every(fit) ? pairs.map(combine).reverse() : null };
}

// The two sizes of each axis, the last axis first; a missing axis counts as 1.
function aligned(left, right) {
  const axes = Math.max(left.length, right.length);
  return Array.from({ length: axes }, (_, n) => [left.at(-n - 1) ?? 1, right.at(-n - 1) ?? 1]);
}

const fit = ([a, b]) => a === b || a === 1 || b === 1;
const combine = ([a, b]) => (a === 1 ? b : a);

function render({ model, el: root }) {
  const left = field("left", (text) => save(model, { left: readShape(text) }));
  const right = field("right", (text) => save(model, { right: readShape(text) }));
  const alignment = el("table", { class: "grid alignment" });
  const verdict = el("p", { class: "verdict", role: "status" });

  root.append(
    el("div", { class: "controls" }, left.element, right.element, reset(model, STATE)),
    alignment,
    verdict,
  );

  return follow(model, [...STATE, "result"], () => {
    const shapes = { left: model.get("left"), right: model.get("right") };
    const { shape } = model.get("result");
    left.update(shapes.left.join(", "));
    right.update(shapes.right.join(", "));
    drawAlignment(alignment, shapes);
    verdict.textContent = shape ? `The result has the shape [${shape.join(", ")}].` : clash(shapes);
  });
}

function readShape(text) {
  const inner = text.trim().replace(/^(torch\.Size)?[([]*/, "").replace(/[)\]]*$/, "");
  const sizes = inner.split(/[\s,]+/).filter(Boolean).map((size) => parse(size, { min: 0, max: 999999, integer: true }));
  if (sizes.length > MOST_AXES) throw new Error(`at most ${MOST_AXES} axes can be shown`);
  return sizes;
}

function drawAlignment(table, { left, right }) {
  const pairs = aligned(left, right);
  const numbers = pairs.map((_, n) => pairs.length - n); // counted from the right
  const line = (name, cell) =>
    el("tr", {}, el("th", { scope: "row" }, name), ...numbers.map((axis) => cell(axis, pairs[axis - 1])));
  const size = (sizes) => (axis, pair) => {
    const own = sizes.at(-axis);
    const stretched = (own ?? 1) === 1 && Math.max(...pair) > 1;
    return el("td", { class: !fit(pair) ? "clash" : stretched ? "stretched" : "" }, own === undefined ? "(1)" : String(own));
  };
  const outcome = (_, pair) => el("td", { class: fit(pair) ? "" : "clash" }, fit(pair) ? String(combine(pair)) : "✗");
  table.replaceChildren(
    el("caption", {}, "aligned from the right; (1) is a missing axis, dashed is repeated"),
    el("thead", {}, el("tr", {}, el("th", { scope: "row" }, "axis"), ...numbers.map((axis) => el("th", { scope: "col" }, `−${axis}`)))),
    el("tbody", {}, line("left", size(left)), line("right", size(right)), line("result", outcome)),
  );
}

function clash({ left, right }) {
  const pairs = aligned(left, right);
  const n = pairs.findIndex((pair) => !fit(pair));
  if (n < 0) return ""; // the shapes fit again, and the kernel has not answered yet
  const [a, b] = pairs[n];
  return `RuntimeError: on axis −${n + 1}, ${a} meets ${b}. Sizes must be equal, or one of them 1.`;
}

export default { compute, render };
