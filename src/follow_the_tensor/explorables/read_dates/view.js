import weights from "../../dates/reader.safetensors" with { type: "bytes" };
import { loadDateReader, readDate } from "../shared/date_reader.js";
import { el } from "../shared/kit.js";
import { createAttention } from "./attention.js";
import { createBars, createSteps } from "./steps.js";
import { createStrips } from "./strips.js";
import { createText } from "./text.js";

const examples = [
  "7. März 2021",
  "July 20, 1969",
  "14 juillet 1789",
  "12 de octubre de 1492",
  "19 lutego 1473",
  "5 Απριλίου 1896",
  "12 апреля 1961 г.",
  "24 серпня 1991 р.",
  "26 जनवरी 1950",
  "2008年8月8日星期五",
  "1964年10月10日土曜日",
  "2002년 5월 31일 금요일",
  "30 February 2021",
  "see you tomorrow",
];
const defaults = {
  text: examples[0],
  step: 10,
  kind: "cross",
  layer: 0,
  head: 0,
  query: 0,
  examples,
};

let reader, latest;

function compute({ text, kind, layer, head }) {
  reader ??= loadDateReader(weights);
  // The model runs once for each text; other changes only choose another of its maps.
  if (latest?.text !== text) latest = { text, ...readDate(text, reader) };
  const { text: _, maps, ...answer } = latest;
  return { ...answer, kind, weights: maps[kind][layer][head] };
}

function render({ store, root }) {
  const [text, strips, steps] = [
    createText(store, reader),
    createStrips(store),
    createSteps(store),
  ];
  const [bars, attention] = [createBars(), createAttention(store)];
  const panes = [text, strips, steps, bars, attention];
  const grids = el("div", { class: "grids" }, ...bars.elements, ...attention.elements);
  const above = [text, strips, steps].flatMap((pane) => pane.elements);
  root.append(el("div", { class: "read-dates" }, ...above, grids));
  store.follow((now) => {
    const moment = momentOf(now);
    for (const pane of panes) pane.draw(moment);
  });
  return steps.stop;
}

// What the panes draw: state and answer, and where in them the reader is.
function momentOf({ state, result }) {
  const last = result.written.length - 1; // a short answer ends before the last step
  const step = Math.min(state.step, last);
  const query = Math.min(state.query, result.source.length);
  const row = result.weights[state.kind === "encoder" ? query : step];
  const characters = [...result.source, "<eos>"];
  return { ...state, ...result, characters, last, step, query, row };
}

export default { defaults, compute, render };
