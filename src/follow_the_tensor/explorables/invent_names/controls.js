// What a name is to be like: its language, its beginning, and how it is drawn.

import { el, field, nextId, reset, slider } from "../shared/kit.js";
import { isBroken } from "../shared/typed.js";
import { LANGUAGES, WORDS } from "./words.js";

function createControls(store, inventor) {
  const language = picker(WORDS.language, inventor.languages, (code) =>
    store.set({ language: code, text: "" }),
  );
  const text = field(WORDS.text, (typed) => store.set({ text: checked(typed, inventor) }));
  const temperature = slider(
    WORDS.temperature,
    { min: 0.1, max: 3, step: 0.1, digits: 1 },
    (value) => store.set({ temperature: value }),
  );
  const top_k = slider(WORDS.top_k, { min: 0, max: 50 }, (value) => store.set({ top_k: value }));
  const top_p = slider(WORDS.top_p, { min: 0.05, max: 1, step: 0.05, digits: 2 }, (value) =>
    store.set({ top_p: value }),
  );
  const unknown = el("p", { class: "message", role: "status" });
  const draws = [temperature, top_k, top_p].map((each) => each.element);
  return {
    elements: [
      el("div", { class: "controls" }, language.element, text.element),
      unknown,
      el("div", { class: "controls" }, ...draws, reset(store)),
    ],
    draw({ state, result }) {
      language.update(state.language);
      text.update(state.text);
      temperature.update(state.temperature);
      top_k.update(state.top_k, { text: state.top_k ? String(state.top_k) : WORDS.all });
      top_p.update(state.top_p, state.top_p < 1 ? {} : { text: WORDS.all });
      const strange = [...new Set([...state.text].filter((_, n) => !result.known[n]))];
      unknown.textContent = strange.length ? WORDS.unknown(strange.join(" ")) : "";
    },
  };
}

// Throws what to tell the reader about a beginning that the model cannot take.
function checked(typed, { longest }) {
  const text = typed.normalize("NFC");
  if (isBroken(text)) throw new Error(WORDS.broken);
  if ([...text].length > longest) throw new Error(WORDS.long([...text].length, longest));
  return text;
}

function picker(label, codes, onPick) {
  const id = nextId();
  const options = codes.map((code) => el("option", { value: code }, LANGUAGES[code]));
  const select = el("select", { id, onchange: () => onPick(select.value) }, ...options);
  return {
    element: el("div", { class: "control" }, el("label", { for: id }, label), select),
    update(code) {
      select.value = code;
    },
  };
}

export { createControls };
