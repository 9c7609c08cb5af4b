// The text that is read: typed, or picked from examples.

import { clean } from "../shared/date_reader.js";
import { el, field, nextId } from "../shared/kit.js";
import { isBroken } from "../shared/typed.js";
import { show, WORDS } from "./words.js";

function createText(store, reader) {
  const read = (text) => store.set({ text, step: store.result.sizes.steps - 1, query: 0 });
  const typed = field(WORDS.text, (text) => read(checked(text, reader)));
  const picked = picker(WORDS.pick, store.state.examples, read);
  const unknown = el("p", { class: "message", role: "status" });
  return {
    elements: [el("div", { class: "controls" }, typed.element, picked.element), unknown],
    draw({ text, source, known }) {
      typed.update(text);
      picked.update(text);
      const strange = [...new Set(source.filter((_, n) => !known[n]))];
      unknown.textContent = strange.length ? WORDS.unknown(strange.map(show).join(" ")) : "";
    },
  };
}

// Throws what to tell the reader about a text that the model cannot take.
function checked(text, reader) {
  const { length } = [...clean(text, reader)];
  if (isBroken(text)) throw new Error(WORDS.broken);
  if (length === 0) throw new Error(WORDS.empty);
  if (length > reader.longest) throw new Error(WORDS.long(length, reader.longest));
  return text;
}

function picker(label, texts, onPick) {
  const id = nextId();
  const options = ["", ...texts].map((text) => el("option", { value: text }, text || WORDS.mine));
  const onchange = () => select.value && onPick(select.value);
  const select = el("select", { id, onchange }, ...options);
  return {
    element: el("div", { class: "control" }, el("label", { for: id }, label), select),
    update(text) {
      select.value = texts.includes(text) ? text : "";
    },
  };
}

export { createText };
