import { el, format, reset, slider } from "../shared/kit.js";

const SIZES = { B: 2, Ls: 6, Lt: 4, D: 12, H: 3, d_ff: 24, V: 32, layers: 1 };
const defaults = { ...SIZES, chapters: "", suffix: ".ipynb" };
const LARGEST = { B: 64, Ls: 64, Lt: 64, D: 512, H: 16, d_ff: 2048, V: 1000, layers: 12 };

// The boxes in the order in which the tensor meets them:
//   [name, role, chapter and section, what is counted, shape of what leaves]
const entry = (name, L) => [
  [name, "", "11_tokens_and_data", null, ["B", L]],
  ["embedding × √D", "", "09_full_example", "embedding", ["B", L, "D"]],
  ["positions", "", "02_positional_encoding", null, ["B", L, "D"]],
];
const addAndNorm = (L) => ["add and norm", "", "07_encoder", "norm", ["B", L, "D"]];
const feedForward = (L) => [
  "feed-forward",
  "values",
  "06_feed_forward",
  "feed_forward",
  ["B", L, "D"],
  ["B", L, "d_ff"],
];
const SOURCE = entry("source ids", "Ls");
const ENCODER = [
  [
    "self-attention",
    "queries",
    "03_attention",
    "attention",
    ["B", "Ls", "D"],
    ["B", "H", "Ls", "Ls"],
  ],
  addAndNorm("Ls"),
  feedForward("Ls"),
  addAndNorm("Ls"),
];
const TARGET = entry("target ids, shifted", "Lt");
const DECODER = [
  [
    "causal self-attention",
    "queries",
    "08_decoder",
    "attention",
    ["B", "Lt", "D"],
    ["B", "H", "Lt", "Lt"],
  ],
  addAndNorm("Lt"),
  [
    "cross-attention to memory",
    "keys",
    "08_decoder",
    "attention",
    ["B", "Lt", "D"],
    ["B", "H", "Lt", "Ls"],
  ],
  addAndNorm("Lt"),
  feedForward("Lt"),
  addAndNorm("Lt"),
];
const HEAD = [["linear to the vocabulary", "weights", "09_full_example", "head", ["B", "Lt", "V"]]];

// Where a chapter shows the source of what the box stands for.
const SECTIONS = {
  "02_positional_encoding": "02_positional_encoding#the-source-of-the-encoding",
  "03_attention": "03_attention#the-source-of-the-layer",
  "06_feed_forward": "06_feed_forward#the-source-of-the-feed-forward-network",
  "07_encoder": "07_encoder#the-source-of-the-encoder-layer",
  "08_decoder": "08_decoder#the-source-of-the-decoder-layer",
  "09_full_example": "12_whole_model#the-source-of-the-model",
  "11_tokens_and_data": "11_tokens_and_data#the-source-of-the-vocabulary",
};

// Each count is the size of the weights and biases; D × D and so on.
function compute({ D, H, d_ff, V, layers }) {
  if (D % H !== 0) return { error: `num_heads: expected a divisor of d_model=${D}, got ${H}` };
  const embedding = V * D;
  const attention = 4 * (D * D + D);
  const feed_forward = D * d_ff + d_ff + d_ff * D + D;
  const norm = 2 * D;
  const encoder_layer = attention + feed_forward + 2 * norm;
  const decoder_layer = 2 * attention + feed_forward + 3 * norm;
  const head = D * V + V;
  const total = 2 * embedding + layers * (encoder_layer + decoder_layer) + head;
  return {
    error: "",
    counts: { embedding, attention, feed_forward, norm, encoder_layer, decoder_layer, head, total },
  };
}

function render({ store, root }) {
  const controls = Object.keys(SIZES).map((name) => {
    const control = slider(name, { min: 1, max: LARGEST[name] }, (value) =>
      store.set({ [name]: value }),
    );
    return [name, control];
  });
  const message = el("p", { class: "message", role: "status" });
  const map = el("div", { class: "map" });
  const total = el("p", { class: "verdict" });

  const sliders = controls.map(([, control]) => control.element);
  root.append(el("div", { class: "controls" }, ...sliders, reset(store)), message, map, total);

  store.follow(({ state, result: { error, counts } }) => {
    for (const [name, control] of controls) control.update(state[name]);
    message.textContent = error;
    if (error) return; // the last good map stays
    map.replaceChildren(...drawMap(state, counts));
    total.textContent = sumOf(state, counts);
  });
}

function sumOf({ layers }, counts) {
  const part = (name) => format(counts[name]);
  return (
    `Parameters: 2 × ${part("embedding")} (embeddings) + ` +
    `${layers} × (${part("encoder_layer")} + ${part("decoder_layer")}) (layers) + ` +
    `${part("head")} (vocabulary) = ${part("total")}`
  );
}

function drawMap(state, counts) {
  const draw = (boxes) => boxes.flatMap((box) => drawBox(state, counts, box));
  const stack = (name, boxes) => {
    const times = el("span", { class: "times" }, `${state.layers} × ${name}`);
    return el("div", { class: "stack", role: "group", "aria-label": name }, times, ...draw(boxes));
  };
  const memory = `memory ${shapeText(state, ["B", "Ls", "D"])}, the K and V of every cross-attention`;
  return [
    el(
      "div",
      { class: "column" },
      ...draw(SOURCE),
      stack("EncoderLayer", ENCODER),
      el("div", { class: "memory" }, memory),
    ),
    el("div", { class: "column" }, ...draw(TARGET), stack("DecoderLayer", DECODER), ...draw(HEAD)),
  ];
}

function drawBox(state, counts, [name, role, chapter, counted, shape, inside]) {
  const source = link(state, SECTIONS[chapter], "source", `source of ${name}`);
  const box = el("div", { class: "box" }, link(state, chapter, name), el("small", {}, source));
  if (role) box.style.setProperty("--tone", `var(--ftt-${role})`);
  if (counted) box.append(el("small", {}, `${format(counts[counted])} parameters`));
  if (inside) box.append(el("small", {}, `inside ${shapeText(state, inside)}`));
  return [box, el("div", { class: "arrow" }, `↓ ${shapeText(state, shape)}`)];
}

function link({ chapters, suffix }, target, text, label) {
  const [page, section] = target.split("#");
  const href = chapters + page + suffix + (section ? `#${section}` : "");
  return el("a", { href, "aria-label": label }, text);
}

const shapeText = (state, axes) =>
  `[${axes.join(", ")}] = [${axes.map((axis) => state[axis]).join(", ")}]`;

export default { defaults, compute, render };
