// Brings the explorables of a page to life without a kernel.
// A page holds <div class="explorable" data-module="…" data-state="{…}">still</div>.

import { start } from "./store.js";

const weights = {}; // a module's, in base64; a script of the page puts them here

// `make` gives a module, which needs its weights.
function define(name, make) {
  const module = make(weights[name] && toBytes(weights[name]));
  for (const element of document.querySelectorAll(`.explorable[data-module="${name}"]`)) {
    const view = document.createElement("div");
    start(module, pageModel(JSON.parse(element.dataset.state ?? "{}")), view);
    element.replaceChildren(view); // the still stays until the view has been drawn
    element.classList.add("live");
  }
}

// What a store needs of the model that anywidget passes it in Jupyter.
function pageModel(state) {
  return {
    get: (name) => state[name],
    set: (name, value) => void (state[name] = value),
    on() {},
    off() {},
    save_changes() {},
  };
}

function toBytes(base64) {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new DataView(bytes.buffer);
}

export { define, weights };
