// What a name is to be like: its language, its beginning, and how it is drawn.

import { el, field, picker, reset, slider } from "../shared/kit.js";
import { checkText, createUnknown } from "../shared/model_text.js";
import { LANGUAGES, WORDS } from "./words.js";

function createControls(store, inventor) {
  const languages = inventor.languages.map((code) => [code, LANGUAGES[code]]);
  const language = picker(WORDS.language, languages, (code) =>
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
  const unknown = createUnknown();
  const draws = [temperature, top_k, top_p].map((each) => each.element);
  return {
    elements: [
      el("div", { class: "controls" }, language.element, text.element),
      unknown.element,
      el("div", { class: "controls" }, ...draws, reset(store)),
    ],
    draw({ state, result }) {
      language.update(state.language);
      text.update(state.text);
      temperature.update(state.temperature);
      top_k.update(state.top_k, { text: state.top_k ? String(state.top_k) : WORDS.all });
      top_p.update(state.top_p, state.top_p < 1 ? {} : { text: WORDS.all });
      unknown.update([...state.text], result.known);
    },
  };
}

// What the model reads of a beginning. Throws what to tell the reader if it cannot.
function checked(typed, { longest }) {
  const text = typed.normalize("NFC");
  checkText(text, [...text].length, longest);
  return text;
}

export { createControls };
