// From logits to a distribution, and the draw from one, as in `follow_the_tensor/names/sampling.py`.

import { softmax } from "./transformer.js";

const withTemperature = (logits, temperature) =>
  softmax(logits.map((logit) => logit / temperature));

function topK(logits, k) {
  const kept = new Set(byProbability(logits).slice(0, k));
  return softmax(logits.map((logit, id) => (kept.has(id) ? logit : -Infinity)));
}

function topP(logits, p) {
  const probabilities = softmax(logits);
  const kept = new Set();
  let before = 0; // what the better ones have together
  for (const id of byProbability(probabilities)) {
    if (kept.size > 0 && before >= p) break;
    kept.add(id);
    before += probabilities[id];
  }
  return softmax(logits.map((logit, id) => (kept.has(id) ? logit : -Infinity)));
}

// All ids, the best first; of equal ones the lower id.
const byProbability = (values) =>
  values.map((_, id) => id).sort((a, b) => values[b] - values[a] || a - b);

// The id on which a number in [0, 1) falls when the probabilities lie end to end.
function pick(probabilities, u) {
  let end = 0;
  const ends = probabilities.map((each) => (end += each));
  return ends.findIndex((each) => each > u * end);
}

// Random numbers in [0, 1) from a seed: mulberry32, which is the same in any language.
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export { byProbability, pick, randomNumbers, topK, topP, withTemperature };
