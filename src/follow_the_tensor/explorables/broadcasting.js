import { el, field, follow, parse, reset, save } from "./kit.js";

const STATE = ["left", "right"];
const MOST_AXES = 6;

// Align from the right; sizes fit when they are equal or one of them is 1.
function compute({ left, right }) {
  const axes = Math.max(left.length, right.length);
  const shape = [];
  for (let axis = 1; axis <= axes; axis++) {
    const [a, b] = [left.at(-axis) ?? 1, right.at(-axis) ?? 1];
    if (!fit(a, b)) return { shape: null };
    shape.unshift(a === 1 ? b : a);
  }
  return { shape };
}

const fit = (a, b) => a === b || a === 1 || b === 1;

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
    drawAlignment(alignment, shapes, shape);
    verdict.textContent = shape ? `The result has the shape [${shape.join(", ")}].` : clash(shapes);
  });
}

function readShape(text) {
  const inner = text.trim().replace(/^(torch\.Size)?[([]*/, "").replace(/[)\]]*$/, "");
  const sizes = inner.split(/[\s,]+/).filter(Boolean).map((size) => parse(size, { min: 0, max: 999999, integer: true }));
  if (sizes.length > MOST_AXES) throw new Error(`at most ${MOST_AXES} axes can be shown`);
  return sizes;
}

function drawAlignment(table, { left, right }, shape) {
  const axes = Math.max(left.length, right.length);
  const numbers = Array.from({ length: axes }, (_, n) => axes - n); // counted from the right
  const line = (name, cell) =>
    el("tr", {}, el("th", { scope: "row" }, name), ...numbers.map((axis) => cell(axis)));
  const size = (sizes) => (axis) => {
    const own = sizes.at(-axis);
    const clashes = !fit(left.at(-axis) ?? 1, right.at(-axis) ?? 1);
    const stretched = (own ?? 1) === 1 && Math.max(left.at(-axis) ?? 1, right.at(-axis) ?? 1) > 1;
    return el("td", { class: clashes ? "clash" : stretched ? "stretched" : "" }, own === undefined ? "(1)" : String(own));
  };
  table.replaceChildren(
    el("caption", {}, "aligned from the right; (1) is a missing axis, dashed is repeated"),
    el("thead", {}, el("tr", {}, el("th", { scope: "row" }, "axis"), ...numbers.map((axis) => el("th", { scope: "col" }, `−${axis}`)))),
    el("tbody", {}, line("left", size(left)), line("right", size(right)), line("result", (axis) => {
      const fits = fit(left.at(-axis) ?? 1, right.at(-axis) ?? 1);
      return el("td", { class: fits ? "" : "clash" }, fits ? String(shape?.at(-axis) ?? combine(left, right, axis)) : "✗");
    })),
  );
}

const combine = (left, right, axis) => {
  const [a, b] = [left.at(-axis) ?? 1, right.at(-axis) ?? 1];
  return a === 1 ? b : a;
};

function clash({ left, right }) {
  for (let axis = 1; axis <= Math.max(left.length, right.length); axis++) {
    const [a, b] = [left.at(-axis) ?? 1, right.at(-axis) ?? 1];
    if (!fit(a, b)) return `RuntimeError: on axis −${axis}, ${a} meets ${b}. Sizes must be equal, or one of them 1.`;
  }
  return "";
}

export default { compute, render };
