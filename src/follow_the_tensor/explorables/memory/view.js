import { choice, el, reset, slider } from "../shared/kit.js";

const defaults = { length: 2, heads: 2, d_k: 2, step: "transpose" };
const HEADS = ["queries", "keys", "values", "weights"];

// Each step: what the code says, how it looks, and the axes of the outcome.
const STEPS = {
  x: { code: "x", axes: "[L, D]" },
  view: { code: "x.view(L, H, d_k)", axes: "[L, H, d_k]" },
  transpose: { code: "x.view(L, H, d_k).transpose(0, 1)", axes: "[H, L, d_k]" },
  "view refused": { code: "x.view(L, H, d_k).transpose(0, 1).view(-1)", axes: "[L·D]" },
  contiguous: { code: "x.view(L, H, d_k).transpose(0, 1).contiguous()", axes: "[H, L, d_k]" },
  reshape: { code: "x.view(L, H, d_k).transpose(0, 1).reshape(-1)", axes: "[L·D]" },
  combine: { code: "heads.contiguous().transpose(0, 1).contiguous().view(L, D)", axes: "[L, D]" },
  "wrong view": { code: "x.view(H, L, d_k)", axes: "[H, L, d_k]" },
  "wrong merge": { code: "heads.reshape(L, D)", axes: "[L, D]" },
};

// A tensor is a storage, a shape and strides; this is all that PyTorch keeps too.
function compute({ length: L, heads: H, d_k, step }) {
  const D = H * d_k;
  const x = contiguous([L, D], range(L * D));
  const heads = transpose(view(x, [L, H, d_k]));
  const right = { "wrong view": heads, "wrong merge": x }[step];
  const outcome = {
    x: () => x,
    view: () => view(x, [L, H, d_k]),
    transpose: () => heads,
    "view refused": () => flatten(heads),
    contiguous: () => copy(heads),
    reshape: () => flatten(heads) ?? flatten(copy(heads)),
    combine: () => view(copy(transpose(copy(heads))), [L, D]), // attention hands on a new tensor
    "wrong view": () => view(x, [H, L, d_k]),
    "wrong merge": () => view(copy(heads), [L, D]),
  }[step]();
  if (!outcome) return { refused: true };
  const { shape, strides, storage } = outcome;
  return {
    refused: false,
    shape,
    strides,
    contiguous: isContiguous(outcome),
    copied: storage !== x.storage,
    values: logical(outcome),
    storage,
    right: right ? logical(right) : null,
  };
}

const range = (count) => Array.from({ length: count }, (_, n) => n);
const denseStrides = (shape) =>
  shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
const contiguous = (shape, storage) => ({ shape, storage, strides: denseStrides(shape) });
const view = ({ storage }, shape) => contiguous(shape, storage);
const swap = ([a, b, ...rest]) => [b, a, ...rest];
const transpose = ({ shape, strides, storage }) => ({
  shape: swap(shape),
  strides: swap(strides),
  storage,
});
const copy = (tensor) =>
  isContiguous(tensor) ? tensor : contiguous(tensor.shape, logical(tensor));

// The elements in the order in which they are read.
const logical = (tensor) => offsets(tensor).map((offset) => tensor.storage[offset]);

// The stride of an axis of size 1 does not matter.
const isContiguous = ({ shape, strides }) =>
  denseStrides(shape).every((stride, axis) => shape[axis] === 1 || strides[axis] === stride);

// One axis needs one stride: storage cells in logical order must be evenly spaced.
function flatten(tensor) {
  const cells = offsets(tensor);
  const stride = cells.length > 1 ? cells[1] - cells[0] : 1;
  const even = cells.every((at, n) => at === n * stride);
  return even ? { shape: [cells.length], strides: [stride], storage: tensor.storage } : null;
}

function offsets({ shape, strides }) {
  const along = (axis, from) => range(shape[axis]).map((n) => from + n * strides[axis]);
  return shape.reduce((cells, _, axis) => cells.flatMap((from) => along(axis, from)), [0]);
}

function render({ store, root }) {
  const set = (name) => (value) => store.set({ [name]: value });
  const controls = {
    length: slider("positions L", { min: 1, max: 4 }, set("length")),
    heads: slider("heads H", { min: 1, max: 4 }, set("heads")),
    d_k: slider("d_k", { min: 1, max: 4 }, set("d_k")),
    step: choice(
      "step",
      Object.keys(STEPS).map((name) => [name, name]),
      set("step"),
    ),
  };
  const code = el("pre", { class: "code" });
  const facts = el("p", { class: "verdict", role: "status" });
  const panels = el("div", { class: "grids" });
  const storage = el("div", {
    class: "storage",
    role: "group",
    "aria-label": "storage",
    tabindex: 0,
  });

  const { step, ...sizes } = controls;
  const sliders = Object.values(sizes).map((control) => control.element);
  root.append(
    el("div", { class: "controls" }, ...sliders, reset(store)),
    el("div", { class: "controls" }, step.element),
    code,
    facts,
    panels,
    storage,
  );

  store.follow(({ state, result }) => {
    const tone = toneOf(state);
    for (const [name, control] of Object.entries(controls)) control.update(state[name]);
    code.textContent = `${STEPS[state.step].code}   # ${STEPS[state.step].axes}`;
    facts.textContent = describe(result);
    facts.classList.toggle("error", result.refused);
    panels.replaceChildren(...(result.refused ? [] : drawBoth(result, tone)));
    storage.replaceChildren(...(result.refused ? [] : [drawStorage(result, tone)]));
  });
}

// The colour of a number is the head that it belongs to in x.
function toneOf({ heads, d_k }) {
  return (value) => HEADS[Math.floor((value % (heads * d_k)) / d_k)];
}

function describe(result) {
  if (result.refused) {
    return (
      "RuntimeError: in this order the elements are not evenly spaced in storage, " +
      "and view never copies. reshape would copy."
    );
  }
  const list = (values) => `[${values.join(", ")}]`;
  return (
    `shape ${list(result.shape)}, strides ${list(result.strides)}, ` +
    `${result.contiguous ? "contiguous" : "not contiguous"}, ` +
    `${result.copied ? "a storage of its own" : "the storage of x"}`
  );
}

// A wrong outcome stands beside the right one.
function drawBoth({ shape, values, right }, tone) {
  if (!right) return drawPanels(shape, values, tone);
  return [
    ...drawPanels(shape, values, tone, "wrong "),
    ...drawPanels(shape, right, tone, "right "),
  ];
}

function drawPanels(shape, values, tone, label = "") {
  const [rows, columns] = shape.length > 1 ? shape.slice(-2) : [1, shape[0]];
  const line = (from) =>
    el("tr", {}, ...values.slice(from, from + columns).map((each) => cell(each, tone)));
  return range(values.length / (rows * columns)).map((panel) => {
    const caption = label + (shape.length > 2 ? `[${panel}]` : "as you read it");
    const lines = range(rows).map((row) => line((panel * rows + row) * columns));
    return el("table", { class: "grid" }, el("caption", {}, caption), el("tbody", {}, ...lines));
  });
}

function drawStorage({ storage }, tone) {
  const cells = storage.map((value) => cell(value, tone));
  const numbers = storage.map((_, n) => el("th", { scope: "col" }, String(n)));
  return el(
    "table",
    { class: "grid" },
    el("caption", {}, "as it lies in storage, cell by cell"),
    el("thead", {}, el("tr", {}, ...numbers)),
    el("tbody", {}, el("tr", {}, ...cells)),
  );
}

function cell(value, tone) {
  const element = el("td", { class: `tile tile-${tone(value)}` }, String(value));
  element.style.setProperty("--tone", `var(--ftt-${tone(value)})`);
  return element;
}

export default { defaults, compute, render };
