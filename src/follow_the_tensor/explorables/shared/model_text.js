// A text that a reader types for a model: what the model cannot take, and what it does not know.

import { el } from "./kit.js";
import { isBroken } from "./typed.js";

const WORDS = {
  broken: "This text holds half of a character.",
  long: (length, longest) => `${length} characters are too many: the model takes ${longest}.`,
  unknown: (characters) => `Unknown to the model, and all alike to it: ${characters}`,
};

// Throws what to tell the reader; `length` is in characters as the model counts them.
function checkText(text, length, longest) {
  if (isBroken(text)) throw new Error(WORDS.broken);
  if (length > longest) throw new Error(WORDS.long(length, longest));
}

// A line that names the characters that the model has never seen.
function createUnknown(show = (character) => character) {
  const element = el("p", { class: "message", role: "status" });
  return {
    element,
    update(characters, known) {
      const strange = [...new Set(characters.filter((_, n) => !known[n]))];
      element.textContent = strange.length ? WORDS.unknown(strange.map(show).join(" ")) : "";
    },
  };
}

export { checkText, createUnknown };
