// The trained name inventor of the package in plain JavaScript. All that it knows of the model
// stands in the file.

import { continueText } from "./transformer.js";
import { readWeights } from "./weights.js";

// The file as a DataView -> the model's parameters, its vocabulary, and the sizes.
function loadNameInventor(file) {
  const { model, about } = readWeights(file);
  const { num_heads: heads, max_len } = JSON.parse(about.sizes);
  const [special, languages] = [JSON.parse(about.special), JSON.parse(about.languages)];
  const names = [...special, ...about.characters];
  return {
    model,
    heads,
    languages,
    names,
    numbers: new Map(names.map((name, id) => [name, id])),
    end: special.indexOf("<eos>"),
    unknown: special.indexOf("<unk>"),
    firstStart: names.length,
    longest: max_len - 1, // the start of the language is read, too
  };
}

// Read the start of the language and the beginning of a name.
function begin(language, characters, inventor) {
  const past = inventor.model.layers.map(() => ({ K: [], V: [] }));
  let text = { past, length: 0 };
  const ids = characters.map((each) => inventor.numbers.get(each) ?? inventor.unknown);
  const start = inventor.firstStart + inventor.languages.indexOf(language);
  for (const id of [start, ...ids]) text = read(id, text, inventor);
  return text;
}

// Read one more id: the keys and values of all so far, and the logits of what may follow.
function read(id, { past, length }, inventor) {
  const longer = past.map(({ K, V }) => ({ K: [...K], V: [...V] })); // others go on from here too
  const logits = continueText(id, length, longer, inventor.model, inventor.heads);
  const allowed = (_, n) => n === inventor.end || (n > inventor.unknown && n < inventor.firstStart);
  return {
    past: longer,
    length: length + 1,
    logits: logits.map((logit, n) => (allowed(logit, n) ? logit : -Infinity)),
  };
}

// Write a name to its end; `choose` gives the id that follows some logits.
function invent(text, choose, inventor) {
  let name = "";
  while (true) {
    const id = choose(text.logits);
    if (id === inventor.end) return name;
    name += inventor.names[id];
    if (text.length > inventor.longest) return name;
    text = read(id, text, inventor);
  }
}

export { begin, invent, loadNameInventor };
