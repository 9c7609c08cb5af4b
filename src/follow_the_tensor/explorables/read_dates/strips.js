// The characters of the text and of the answer. One of them is the query; its weights shade
// the others.

import { paint } from "../shared/grid.js";
import { el } from "../shared/kit.js";
import { chance } from "./answer.js";
import { show, WORDS } from "./words.js";

function createStrips(store) {
  const source = strip(WORDS.source, (n) => store.set({ kind: "encoder", query: n }));
  const output = strip(WORDS.output, (n) => {
    const kind = store.state.kind === "encoder" ? "cross" : store.state.kind;
    // The first tile is the start, which nobody writes.
    store.set({ kind, step: Math.max(n - 1, 0) });
  });
  return {
    elements: [source.element, output.element],
    draw(now) {
      source.update(...sourceTiles(now));
      output.update(...outputTiles(now));
    },
  };
}

// The tiles of a strip and which of them is the query.
function sourceTiles({ characters, known, kind, row, query }) {
  const tiles = characters.map((name, n) => ({
    name,
    unknown: known[n] === false,
    weight: kind === "decoder" ? 0 : row[n],
  }));
  return [tiles, kind === "encoder" ? query : -1];
}

// Place 0 is the start, and step n writes place n + 1.
function outputTiles(now) {
  const { written, kind, row, step } = now;
  const tiles = ["<bos>", ...written].map((name, n) => ({
    name: n <= step + 1 ? name : "",
    sure: n > 0 && n <= step + 1 ? chance(now, n - 1) : undefined,
    weight: kind === "decoder" && n <= step ? row[n] : 0,
  }));
  return [tiles, kind === "encoder" ? -1 : step + 1];
}

// A row of characters, one of which may be picked; a single stop of the Tab key.
function strip(label, onPick) {
  const tiles = [];
  const row = el("div", { class: "tiles", role: "group", "aria-label": label });
  row.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const target = step && tiles[tiles.findIndex((each) => each.button === event.target) + step];
    if (!target) return;
    event.preventDefault();
    target.button.click();
    target.button.focus();
  });
  return {
    element: el("div", { class: "strip" }, el("span", { class: "label" }, label), row),
    update(contents, picked) {
      while (tiles.length < contents.length) tiles.push(tile(row, tiles.length, onPick));
      while (tiles.length > contents.length) tiles.pop().button.remove();
      tiles.forEach((each, n) => {
        write(each, contents[n], n === picked);
        each.button.tabIndex = n === Math.max(picked, 0) ? 0 : -1;
      });
    },
  };
}

function tile(row, n, onPick) {
  const [name, sure, weight] = [el("span"), el("small"), el("small", { class: "weight" })];
  const onclick = () => onPick(n);
  const button = el("button", { type: "button", onclick }, name, sure, weight);
  row.append(button);
  return { name, sure, weight, button };
}

function write(parts, { name, unknown = false, sure, weight }, isPicked) {
  parts.name.textContent = show(name) || "·";
  parts.name.classList.toggle("word", name.length > 2);
  parts.sure.textContent = sure === undefined ? "" : `${Math.floor(sure * 100)} %`;
  parts.sure.classList.toggle("message", sure < 0.5);
  parts.weight.textContent = weight >= 0.005 ? weight.toFixed(2) : "";
  parts.button.title = name === " " ? WORDS.space : "";
  parts.button.classList.toggle("unknown", unknown);
  parts.button.setAttribute("aria-pressed", String(isPicked));
  paint(parts.button, weight, 1, "weights");
}

export { createStrips };
