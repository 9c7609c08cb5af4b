// The text that is read: typed, or picked from examples.

import { clean } from "../shared/date_reader.js";
import { el, field, picker } from "../shared/kit.js";
import { checkText, createUnknown } from "../shared/model_text.js";
import { show, WORDS } from "./words.js";

function createText(store, reader) {
  const read = (text) => store.set({ text, step: store.result.sizes.steps - 1, query: 0 });
  const typed = field(WORDS.text, (text) => read(checked(text, reader)));
  const { examples } = store.state;
  const options = [["", WORDS.mine], ...examples.map((text) => [text, text])];
  const picked = picker(WORDS.pick, options, (text) => text && read(text));
  const unknown = createUnknown(show);
  const controls = el("div", { class: "controls" }, typed.element, picked.element);
  return {
    elements: [controls, unknown.element],
    draw({ text, source, known }) {
      typed.update(text);
      picked.update(examples.includes(text) ? text : "");
      unknown.update(source, known);
    },
  };
}

// Throws what to tell the reader about a text that the model cannot take.
function checked(text, reader) {
  const { length } = [...clean(text, reader)];
  checkText(text, length, reader.longest);
  if (length === 0) throw new Error(WORDS.empty);
  return text;
}

export { createText };
