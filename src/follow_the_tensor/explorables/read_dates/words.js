// All words that the reader sees.

const WORDS = {
  text: "a date",
  pick: "or pick one",
  mine: "your own",
  source: "text",
  output: "answer",
  names: { "<pad>": "pad", "<bos>": "start", "<eos>": "end", "<unk>": "�", " ": "␣" },
  space: "space",
  empty: "Type at least one character.",
  run: "run",
  pause: "pause",
  next: "next step",
  step: "step",
  count: (step, count) => `${step + 1} of ${count}`,
  soFar: (chance) => `Probability of what is written so far: ${chance}.`,
  whole: (answer, chance) => `${answer || "(nothing)"}: probability ${chance}. `,
  sure: "The model is sure, which is not the same as right.",
  doubts: "The model has doubts.",
  guesses: "The model is guessing.",
  noDay: " The calendar has no such day.",
  distribution: "next character",
  others: (count) => `${count} others`,
  kind: "attention",
  kinds: [
    ["encoder", "encoder self"],
    ["decoder", "decoder self"],
    ["cross", "cross"],
  ],
  layer: "layer",
  head: "head",
  looks: (query, keys) =>
    `The shade shows where ${query} looks in the ${keys}. Click another character above.`,
  writing: (name) => `the step that writes ${name}`,
  quote: (name) => `“${name}”`,
  map: "whole map: queries down, keys across",
};

// A character so that it can be seen: a mark that combines stands on a dotted circle.
const show = (name) => WORDS.names[name] ?? (/^\p{M}/u.test(name) ? `◌${name}` : name);

export { WORDS, show };
