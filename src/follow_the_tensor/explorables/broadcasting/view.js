import { el, field, reset } from "../shared/kit.js";
import { parseShape } from "../shared/typed.js";

const defaults = { left: [2, 6, 12], right: [1, 6, 12] };
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

function render({ store, root }) {
  const sizes = (text) => parseShape(text, { most: MOST_AXES });
  const left = field("left", (text) => store.set({ left: sizes(text) }));
  const right = field("right", (text) => store.set({ right: sizes(text) }));
  const alignment = el("table", { class: "grid alignment" });
  const verdict = el("p", { class: "verdict", role: "status" });

  root.append(
    el("div", { class: "controls" }, left.element, right.element, reset(store)),
    alignment,
    verdict,
  );

  store.follow(({ state, result: { shape } }) => {
    left.update(state.left.join(", "));
    right.update(state.right.join(", "));
    drawAlignment(alignment, state);
    verdict.textContent = shape ? `The result has the shape [${shape.join(", ")}].` : clash(state);
  });
}

function drawAlignment(table, { left, right }) {
  const pairs = aligned(left, right);
  const axes = pairs.map((_, n) => pairs.length - n); // counted from the right
  const line = (name, cell) => el("tr", {}, rowHead(name), ...axes.map(cell));
  const size = (sizes) => (axis) => sizeCell(sizes.at(-axis), pairs[axis - 1]);
  const outcome = (axis) => {
    const fits = fit(pairs[axis - 1]);
    return el("td", { class: fits ? "" : "clash" }, fits ? combine(pairs[axis - 1]) : "✗");
  };
  table.replaceChildren(
    el("caption", {}, "aligned from the right; (1) is a missing axis, dashed is repeated"),
    el(
      "thead",
      {},
      line("axis", (axis) => el("th", { scope: "col" }, `−${axis}`)),
    ),
    el("tbody", {}, line("left", size(left)), line("right", size(right)), line("result", outcome)),
  );
}

const rowHead = (name) => el("th", { scope: "row" }, name);

function sizeCell(size, pair) {
  const isStretched = (size ?? 1) === 1 && Math.max(...pair) > 1;
  const look = !fit(pair) ? "clash" : isStretched ? "stretched" : "";
  return el("td", { class: look }, size ?? "(1)");
}

function clash({ left, right }) {
  const pairs = aligned(left, right);
  const n = pairs.findIndex((pair) => !fit(pair));
  const [a, b] = pairs[n];
  return `RuntimeError: on axis −${n + 1}, ${a} meets ${b}. Sizes must be equal, or one of them 1.`;
}

export default { defaults, compute, render };
