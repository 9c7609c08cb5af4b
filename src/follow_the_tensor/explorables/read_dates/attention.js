// Which attention is shown, in words and as a whole map.

import { grid } from "../shared/grid.js";
import { choice, el, toggle } from "../shared/kit.js";
import { show, WORDS } from "./words.js";

function createAttention(store) {
  const set = (name) => (value) => store.set({ [name]: value });
  const { layers, heads } = store.result.sizes;
  const kind = choice(WORDS.kind, WORDS.kinds, set("kind"));
  const layer = choice(WORDS.layer, numbered(layers), set("layer"));
  const head = choice(WORDS.head, numbered(heads), set("head"));
  const looks = el("p");
  const map = createMap();
  const choices = [kind, layer, head].map((control) => control.element);
  return {
    elements: [
      el(
        "div",
        { class: "attention" },
        el("div", { class: "controls" }, ...choices),
        looks,
        ...map.elements,
      ),
    ],
    draw(now) {
      kind.update(now.kind);
      layer.update(now.layer);
      head.update(now.head);
      looks.textContent = WORDS.looks(
        queryName(now),
        now.kind === "decoder" ? WORDS.output : WORDS.source,
      );
      map.draw(now);
    },
  };
}

const numbered = (count) => Array.from({ length: count }, (_, n) => [n, String(n)]);

function queryName({ kind, characters, query, written, step }) {
  if (kind === "encoder") return WORDS.quote(show(characters[query]));
  return WORDS.writing(WORDS.quote(show(written[step])));
}

// All queries and keys of one head, if the reader wants to see them. On a phone the shade of one
// step says more than a map that has to be scrolled.
function createMap() {
  // What scrolls must be reachable by the Tab key.
  const frame = el("div", {
    class: "map-frame",
    tabindex: 0,
    role: "group",
    "aria-label": WORDS.map,
  });
  let isShown = matchMedia("(min-width: 48rem)").matches;
  let made = {};
  let latest;

  const wish = toggle(WORDS.map, (value) => {
    isShown = value;
    draw(latest);
  });

  function draw(now) {
    latest = now;
    wish.update(isShown);
    frame.hidden = !isShown;
    if (!isShown) return;
    const [queries, keys] = mapLabels(now);
    const labels = JSON.stringify([queries, keys]);
    if (made.labels !== labels) {
      // They change with the text, so the table is made anew.
      made = {
        labels,
        grid: grid({ caption: "", rows: (n) => queries[n], columns: (n) => keys[n] }),
      };
      frame.replaceChildren(made.grid.element);
    }
    made.grid.update(now.weights, { small: true });
    const current = now.kind === "encoder" ? now.query : now.step;
    const rows = [...frame.querySelectorAll("tbody tr")];
    rows.forEach((row, n) => row.classList.toggle("current", n === current));
  }

  return { elements: [wish.element, frame], draw };
}

function mapLabels({ kind, characters, written }) {
  const text = characters.map(show);
  const input = ["<bos>", ...written.slice(0, -1)].map(show);
  const steps = written.map((name, n) => `${input[n]} → ${show(name)}`);
  return { encoder: [text, text], decoder: [steps, input], cross: [steps, text] }[kind];
}

export { createAttention };
