import weights from "../../names/inventor.safetensors" with { type: "bytes" };
import { el } from "../shared/kit.js";
import { begin, invent, loadNameInventor } from "../shared/name_inventor.js";
import {
  byProbability,
  pick,
  randomNumbers,
  topK,
  topP,
  withTemperature,
} from "../shared/sampling.js";
import { createControls } from "./controls.js";
import { createAnswer } from "./answer.js";

const NAMES = 5; // that are invented at once
const BARS = 10; // of the most probable next characters
const defaults = { language: "de", text: "", temperature: 0.8, top_k: 0, top_p: 1, seed: 0 };

let inventor, latest;

function compute(state) {
  inventor ??= loadNameInventor(weights);
  const { language, text } = state;
  // The beginning is read once; other changes only choose differently from its logits.
  if (latest?.text !== text || latest.language !== language) {
    latest = { text, language, read: begin(language, [...text], inventor) };
  }
  const { logits } = latest.read;
  const before = withTemperature(logits, 1);
  const after = distribution(logits, state);
  const likely = byProbability(before).slice(0, BARS);
  return {
    known: [...text].map((character) => inventor.numbers.has(character)),
    likely: likely.map((id) => inventor.names[id]),
    before: likely.map((id) => before[id]),
    after: likely.map((id) => after[id]),
    kept: after.filter((share) => share > 0).length,
    names: Array.from({ length: NAMES }, (_, n) => text + oneName(state, state.seed * NAMES + n)),
  };
}

function oneName(state, seed) {
  const next = randomNumbers(seed);
  const choose = (logits) => pick(distribution(logits, state), next());
  return invent(latest.read, choose, inventor);
}

// Temperature first, then top-k, then top-p: each from logits to a distribution.
function distribution(logits, { temperature, top_k, top_p }) {
  let chosen = withTemperature(logits, temperature);
  if (top_k > 0) chosen = topK(chosen.map(Math.log), top_k);
  if (top_p < 1) chosen = topP(chosen.map(Math.log), top_p);
  return chosen;
}

function render({ store, root }) {
  const panes = [createControls(store, inventor), createAnswer(store, inventor)];
  root.append(el("div", { class: "invent-names" }, ...panes.flatMap((pane) => pane.elements)));
  store.follow((now) => panes.forEach((pane) => pane.draw(now)));
}

export default { defaults, compute, render };
