// What may come next, and five ways to go on to the end.

import { createBarTable } from "../shared/bars.js";
import { el } from "../shared/kit.js";
import { WORDS } from "./words.js";

function createAnswer(store, { longest }) {
  const bars = createBarTable(WORDS.next, 10);
  const kept = el("p", { role: "status" });
  const names = el("ol", { class: "names" });
  const button = (label, onclick) => el("button", { type: "button", onclick }, label);
  const another = () => ({ seed: (store.state.seed + 1) % 1_000_000 });
  const more = button(WORDS.more, () => store.set(another()));
  const step = button(WORDS.step, () => {
    const { text } = store.state;
    const longer = [...store.result.names[0]].slice(0, [...text].length + 1).join("");
    store.set({ text: longer, ...another() });
  });
  const frame = el("div", {}, names, el("div", { class: "controls" }, more, step));
  return {
    elements: [el("div", { class: "grids" }, bars.element, frame), kept],
    draw({ state, result }) {
      bars.update(result.likely.map((name, n) => line(name, result.before[n], result.after[n])));
      const ends = result.names[0] === state.text ? WORDS.ends : "";
      kept.textContent = WORDS.kept(result.kept) + ends;
      const lines = result.names.map((name) => nameLine(name, state.text.length));
      names.replaceChildren(...lines);
      step.disabled = [...state.text].length >= longest;
    },
  };
}

const line = (name, before, after) => ({
  name: WORDS.signs[name] ?? name,
  share: after,
  text: WORDS.shares(percent(after), percent(before)),
  isChosen: after > 0, // it may be drawn
});

const percent = (share) => `${(share * 100).toFixed(1)} %`;

// What was given stands apart from what the model wrote.
function nameLine(name, given) {
  return el("li", {}, el("span", { class: "given" }, name.slice(0, given)), name.slice(given));
}

export { createAnswer };
