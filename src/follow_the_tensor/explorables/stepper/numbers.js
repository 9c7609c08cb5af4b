// What a value holds: the numbers of a tensor, the parts of a module or a tuple.

import { paint, roleOf } from "../shared/grid.js";
import { el, format, toNumber } from "../shared/kit.js";
import { brief } from "./tape.js";
import { WORDS } from "./words.js";

// Type and memory layout of a tensor.
function layout(value) {
  if (value.kind !== "tensor") return "";
  const parts = [el("span", {}, value.dtype)];
  if (value.stride) {
    const [look, word] = value.contiguous ? ["", WORDS.contiguous] : ["scattered", WORDS.scattered];
    parts.push(el("span", {}, WORDS.stride(value.stride.join(", "))));
    parts.push(el("span", { class: look }, word));
  }
  return el("span", { class: "layout" }, ...parts);
}

function content(tape, name, entry, before) {
  const value = tape.value(entry);
  const past = before && tape.value(before);
  if (value.kind === "tensor") return tensor(name, value, tape.axes(entry), past);
  const items =
    value.kind === "module" ? moduleParts(value, past) : tupleParts(tape, name, value.items);
  return el("ul", { class: "parts" }, ...items);
}

function moduleParts(value, past) {
  const old = past?.kind === "module" && partsOf(past).map(String);
  return partsOf(value).map(([part, text]) => {
    const isFresh = old && !old.includes(`${part},${text}`);
    return el("li", { class: isFresh ? "fresh" : "" }, el("b", {}, part), ` ${text}`);
  });
}

// What a module holds: its numbers, the shapes of its tensors, the classes of its modules.
const partsOf = ({ numbers, tensors, children }) => [
  ...Object.entries(numbers).map(([name, text]) => [name, `= ${text}`]),
  ...Object.entries(tensors).map(([name, shape]) => [name, `[${shape.join(", ")}]`]),
  ...Object.entries(children),
];

function tupleParts(tape, name, items) {
  return items.map(([part, ...item]) => {
    const value = tape.value(item);
    const shape = el("span", { class: "shape" }, brief(tape, item));
    const summary = el("span", {}, el("b", {}, part), " ", shape, layout(value));
    return el("li", {}, summary, value.kind === "text" ? "" : content(tape, name, item));
  });
}

// The numbers of a tensor: the last two axes as a grid, one grid for each index of the others.
function tensor(name, value, axes, past) {
  if (value.values === undefined) return el("p", { class: "quiet" }, WORDS.unseen);
  if (value.shape.includes(0)) return el("p", { class: "quiet" }, WORDS.empty);
  const { shape, shown = shape } = value;
  const called = (axis) => axes[axis] ?? WORDS.axis(axis);
  const look = { ...style(name, value), rows: axes.at(-2), columns: axes.at(-1) };
  const old = isAlike(past, value) ? past.values : undefined;
  const panels = slices(value.values, old, shown.length).map(({ indices, rows, oldRows }) => {
    const isTold = (axis) => axes[axis] || shape[axis] > 1;
    const told = indices.map((index, axis) => isTold(axis) && `${called(axis)} ${index}`);
    return panel(told.filter(Boolean).join(" · "), rows, oldRows, look);
  });
  const box = el("div", { class: "panels" }, ...panels);
  if (value.shown) box.append(corner(value, called));
  return box;
}

const isAlike = (past, { shape, shown }) =>
  past?.values !== undefined && String([past.shape, past.shown]) === String([shape, shown]);

// The numbers of `rank` axes as grids, and where in the outer axes each one stands.
function slices(values, old, rank, indices = []) {
  if (rank <= 2) {
    const asRows = (part) => (rank === 0 ? [[part]] : rank === 1 ? [part] : part);
    return [{ indices, rows: asRows(values), oldRows: old === undefined ? old : asRows(old) }];
  }
  return values.flatMap((each, n) => slices(each, old?.[n], rank - 1, [...indices, n]));
}

function corner({ shape, shown, min, max }, called) {
  const parts = shape.map((size, axis) => WORDS.share(called(axis), shown[axis], size));
  return el("p", { class: "quiet" }, WORDS.part(parts.join(", "), format(min), format(max)));
}

// Colour: attention weights are shares of 1, so that two grids can be compared.
function style(name, value) {
  if (value.dtype === "bool") return { role: "values", scale: 1 };
  const role = roleOf(name);
  const all = [value.values, value.min ?? 0, value.max ?? 0].flat(Infinity).map(toNumber);
  const sizes = all.filter(Number.isFinite).map(Math.abs);
  const areShares = role === "weights" && all.every((number) => number >= 0 && number <= 1);
  return { role, scale: areShares ? 1 : Math.max(...sizes, 1e-9) };
}

function panel(caption, rows, oldRows, look) {
  const down = look.rows && rows.length > 1 && `${look.rows} ↓`;
  const across = look.columns && `${look.columns} →`;
  const names = el("td", {}, [down, across].filter(Boolean).join(" "));
  const heads = rows[0].map((_, column) => el("th", { scope: "col" }, column));
  const lines = rows.map((line, row) => {
    const isFresh = (column) => oldRows && oldRows[row][column] !== line[column];
    const cells = line.map((number, column) => cell(number, isFresh(column), look));
    return el("tr", {}, el("th", { scope: "row" }, row), ...cells);
  });
  return el(
    "table",
    { class: "grid" },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, names, ...heads)),
    el("tbody", {}, ...lines),
  );
}

function cell(number, isFresh, { scale, role }) {
  const special = { nan: "wrong", "-inf": "blocked" }[number] ?? "";
  const element = el("td", { class: `${special}${isFresh ? " fresh" : ""}` }, format(number));
  paint(element, toNumber(number), scale, role);
  return element;
}

export { content, layout };
