import { el, follow, format, reset, save, slider } from "../shared/kit.js";

const SIZES = ["B", "Ls", "Lt", "D", "H", "d_ff", "V", "layers"];
const LARGEST = { B: 64, Ls: 64, Lt: 64, D: 512, H: 16, d_ff: 2048, V: 1000, layers: 12 };

// The boxes in the order in which the tensor meets them:
//   [name, role, chapter and section, what is counted, shape of what leaves]
const entry = (name, L) => [
  [name, "", "11_tokens_and_data", null, ["B", L]],
  ["embedding × √D", "", "09_full_example", "embedding", ["B", L, "D"]],
  ["positions", "", "02_positional_encoding", null, ["B", L, "D"]],
];
const norm = (L) => ["add and norm", "", "07_encoder", "norm", ["B", L, "D"]];
const feedForward = (L) => ["feed-forward", "values", "06_feed_forward", "feed_forward", ["B", L, "D"], ["B", L, "d_ff"]];
const SOURCE = entry("source ids", "Ls");
const ENCODER = [
  ["self-attention", "queries", "03_attention", "attention", ["B", "Ls", "D"], ["B", "H", "Ls", "Ls"]],
  norm("Ls"),
  feedForward("Ls"),
  norm("Ls"),
];
const TARGET = entry("target ids, shifted", "Lt");
const DECODER = [
  ["causal self-attention", "queries", "08_decoder", "attention", ["B", "Lt", "D"], ["B", "H", "Lt", "Lt"]],
  norm("Lt"),
  ["cross-attention to memory", "keys", "08_decoder", "attention", ["B", "Lt", "D"], ["B", "H", "Lt", "Ls"]],
  norm("Lt"),
  feedForward("Lt"),
  norm("Lt"),
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
  return { error: "", counts: { embedding, attention, feed_forward, norm, encoder_layer, decoder_layer, head, total } };
}

function render({ model, el: root }) {
  const controls = SIZES.map((name) => [
    name,
    slider(name, { min: 1, max: LARGEST[name] }, (value) => save(model, { [name]: value })),
  ]);
  const message = el("p", { class: "message", role: "status" });
  const map = el("div", { class: "map" });
  const total = el("p", { class: "verdict" });

  root.append(
    el("div", { class: "controls" }, ...controls.map(([, control]) => control.element), reset(model, SIZES)),
    message,
    map,
    total,
  );

  return follow(model, [...SIZES, "result"], () => {
    const { error, counts } = model.get("result");
    for (const [name, control] of controls) control.update(model.get(name));
    message.textContent = error;
    if (error) return; // the last good map stays
    map.replaceChildren(...drawMap(model, counts));
    const [encoder, decoder] = [counts.encoder_layer, counts.decoder_layer].map(format);
    total.textContent =
      `Parameters: 2 × ${format(counts.embedding)} (embeddings) + ${model.get("layers")} × (${encoder} + ${decoder}) ` +
      `(layers) + ${format(counts.head)} (vocabulary) = ${format(counts.total)}`;
  });
}

function drawMap(model, counts) {
  const draw = (boxes) => boxes.flatMap((box) => drawBox(model, counts, box));
  const stack = (name, boxes) =>
    el("div", { class: "stack", role: "group", "aria-label": name }, el("span", { class: "times" }, `${model.get("layers")} × ${name}`), ...draw(boxes));
  const memory = el("div", { class: "memory" }, `memory ${shapeText(model, ["B", "Ls", "D"])}, the K and V of every cross-attention`);
  return [
    el("div", { class: "column" }, ...draw(SOURCE), stack("EncoderLayer", ENCODER), memory),
    el("div", { class: "column" }, ...draw(TARGET), stack("DecoderLayer", DECODER), ...draw(HEAD)),
  ];
}

function drawBox(model, counts, [name, role, chapter, counted, shape, inside]) {
  const link = (target, text, label) => {
    const [page, section] = target.split("#");
    const href = model.get("chapters") + page + model.get("suffix") + (section ? `#${section}` : "");
    return el("a", { href, "aria-label": label }, text);
  };
  const source = el("small", {}, link(SECTIONS[chapter], "source", `source of ${name}`));
  const box = el("div", { class: "box" }, link(chapter, name), source);
  if (role) box.style.setProperty("--tone", `var(--ftt-${role})`);
  if (counted) box.append(el("small", {}, `${format(counts[counted])} parameters`));
  if (inside) box.append(el("small", {}, `inside ${shapeText(model, inside)}`));
  return [box, el("div", { class: "arrow" }, `↓ ${shapeText(model, shape)}`)];
}

const shapeText = (model, axes) => `[${axes.join(", ")}] = [${axes.map((axis) => model.get(axis)).join(", ")}]`;

export default { compute, render };
