// The trained date reader of the package in plain JavaScript: its file, its vocabularies, and
// greedy generation. All that it knows of the model stands in the file.

import { decode, encode, softmax, startDecoding } from "./transformer.js";
import { plainDigits, plainWords } from "./typed.js";
import { readWeights } from "./weights.js";

const DOTTED = "i\u0307"; // what İ becomes in small letters

function clean(text, { replacements }) {
  const small = plainDigits(plainWords(plainWords(text).replaceAll(DOTTED, "i")));
  return replacements.reduce((now, [old, better]) => now.replaceAll(old, better), small);
}

// The file as a DataView -> the model's parameters, the two vocabularies, and the sizes.
function loadDateReader(file) {
  const { model, about } = readWeights(file);
  const { num_heads: heads, max_len } = JSON.parse(about.sizes);
  const special = JSON.parse(about.special);
  return {
    model,
    heads,
    special,
    ids: Object.fromEntries(special.map((name, id) => [name, id])),
    longest: max_len - 1, // EOS needs a place
    answerLength: Number(about.answer_length),
    replacements: JSON.parse(about.replacements),
    source: about.source,
    target: about.target,
  };
}

// The most probable next token, again and again.
function generate(
  memory,
  { model, heads, ids: { "<bos>": BOS, "<eos>": EOS, "<pad>": PAD }, answerLength },
) {
  const past = startDecoding(memory, model);
  const ids = [BOS];
  const steps = [];
  while (ids.length < answerLength && ids.at(-1) !== EOS) {
    const step = decode(ids.at(-1), ids.length - 1, past, model, heads);
    steps.push(step);
    ids.push(best(step.logits, PAD));
  }
  return { ids, steps };
}

// The id of the largest logit. PAD is never chosen.
function best(logits, PAD) {
  const allowed = logits.map((logit, id) => (id === PAD ? -Infinity : logit));
  return allowed.indexOf(Math.max(...allowed));
}

function readDate(text, reader) {
  const { model, heads, special, ids: special_ids, target } = reader;
  const characters = [...clean(text, reader)];
  const src = characters.map((character) => encodeCharacter(character, reader));
  const { memory, maps } = encode([...src, special_ids["<eos>"]], model, heads);
  const { ids, steps } = generate(memory, reader);
  const names = [...special, ...target];
  return {
    source: characters,
    known: src.map((id) => id !== special_ids["<unk>"]),
    target: names,
    written: ids.slice(1).map((id) => names[id]),
    answer: decodeIds(ids, reader),
    probabilities: steps.map((step) => softmax(step.logits)), // [Lt, V]
    maps: { encoder: maps, decoder: gather(steps, "self"), cross: gather(steps, "cross") },
    sizes: {
      longest: reader.longest,
      steps: reader.answerLength - 1, // nobody writes BOS
      layers: model.encoder.length,
      heads,
    },
  };
}

// The rows of all steps as maps [layers, H, Lt, Lk]. What a step could not see yet weighs 0.
function gather(steps, kind) {
  const last = steps.at(-1)[kind];
  const row = (step, layer, head) =>
    last[layer][head].map((_, key) => step[kind][layer][head][key] ?? 0);
  return last.map((heads, layer) =>
    heads.map((_, head) => steps.map((step) => row(step, layer, head))),
  );
}

function encodeCharacter(character, { source, special, ids }) {
  const place = [...source].indexOf(character);
  return place < 0 ? ids["<unk>"] : special.length + place;
}

// The text of an answer: without PAD, BOS and EOS, and with a sign for what is unknown.
function decodeIds(written, { special, ids, target }) {
  const sign = (id) => (id === ids["<unk>"] ? "\ufffd" : (target[id - special.length] ?? ""));
  return written.map(sign).join("");
}

export { clean, loadDateReader, readDate };
