// The trained date reader of the package, for pages without a kernel: its file, its
// vocabularies, and greedy generation.

import { decode, encode, softmax, startDecoding } from "./transformer.js";

// As in date_reader.py and vocabulary.py; a test compares what comes of them.
const HEADS = 4;
const MAX_LEN = 64;
const ANSWER_LENGTH = 12;
const SPECIAL = ["<pad>", "<bos>", "<eos>", "<unk>"];
const [PAD, BOS, EOS, UNKNOWN] = SPECIAL.keys();

// What Python's split() takes for a space. JavaScript's \s differs in a few characters.
const SPACES = /[\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

function clean(text) {
  const plain = text.normalize("NFKC").toLowerCase().split(SPACES).filter(Boolean).join(" ");
  return plain.replaceAll("अक्तू", "अक्टू");  // Hindi spells October in two ways
}

// The file in base64 -> the model's parameters and the two vocabularies.
// A safetensors file is the length of a header, the header in JSON, and the numbers.
function loadDateReader(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const start = 8 + Number(view.getBigUint64(0, true));
  const { __metadata__: metadata, ...tensors } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  const model = { encoder: [], decoder: [] };
  for (const [name, { shape, data_offsets: [from, to] }] of Object.entries(tensors)) {
    const numbers = [];
    for (let at = start + from; at < start + to; at += 2) numbers.push(fromHalf(view.getUint16(at, true)));
    put(model, name.split("."), shape.length === 2 ? toRows(numbers, shape[1]) : numbers);
  }
  return { model, source: metadata.source, target: metadata.target };
}

// A number of 16 bits: one for the sign, five for the exponent, ten for the fraction.
function fromHalf(half) {
  const sign = half >> 15 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = (half & 1023) / 1024;
  return exponent ? sign * (1 + fraction) * 2 ** (exponent - 15) : sign * fraction * 2 ** -14;
}

function toRows(numbers, width) {
  return Array.from({ length: numbers.length / width }, (_, row) => numbers.slice(row * width, (row + 1) * width));
}

// Put a value at encoder.0.norm1.weight, say.
function put(tree, [name, ...rest], value) {
  if (rest.length) put((tree[name] ??= {}), rest, value);
  else tree[name] = value;
}

// The most probable next token, again and again.
function generate(memory, model) {
  const past = startDecoding(memory, model);
  const ids = [BOS];
  const steps = [];
  while (ids.length < ANSWER_LENGTH && ids.at(-1) !== EOS) {
    const step = decode(ids.at(-1), ids.length - 1, past, model, HEADS);
    steps.push(step);
    ids.push(best(step.logits));
  }
  return { ids, steps };
}

function readDate(text, { model, source, target }) {
  const characters = [...clean(text)];
  const src = characters.map((character) => encodeCharacter(character, source));
  const { memory, maps } = encode([...src, EOS], model, HEADS);
  const { ids, steps } = generate(memory, model);
  const names = [...SPECIAL, ...target];
  return {
    source: characters,
    known: src.map((id) => id !== UNKNOWN),
    target: names,
    written: ids.slice(1).map((id) => names[id]),
    answer: decodeIds(ids, target),
    probabilities: steps.map((step) => softmax(step.logits)), // [Lt, V]
    maps: { encoder: maps, decoder: gather(steps, "self", model), cross: gather(steps, "cross", model) },
    sizes: { longest: MAX_LEN - 1, steps: ANSWER_LENGTH - 1, layers: model.encoder.length, heads: HEADS },
  };
}

// The rows of all steps as maps [layers, H, Lt, Lk]. What a step could not see yet weighs 0.
function gather(steps, kind, model) {
  return model.decoder.map((_, layer) =>
    Array.from({ length: HEADS }, (_, head) => {
      const rows = steps.map((step) => step[kind][layer][head]);
      return rows.map((row) => rows.at(-1).map((_, key) => row[key] ?? 0));
    }),
  );
}

function encodeCharacter(character, known) {
  const place = [...known].indexOf(character);
  return place < 0 ? UNKNOWN : SPECIAL.length + place;
}

// The id of the largest logit. PAD is never chosen.
function best(logits) {
  return logits.reduce((winner, logit, id) => (id !== PAD && logit > logits[winner] ? id : winner), BOS);
}

// The text of an answer: without PAD, BOS and EOS, and with a sign for UNKNOWN.
function decodeIds(ids, target) {
  return ids.map((id) => (id === UNKNOWN ? "\ufffd" : target[id - SPECIAL.length] ?? "")).join("");
}

export { clean, loadDateReader, readDate };
