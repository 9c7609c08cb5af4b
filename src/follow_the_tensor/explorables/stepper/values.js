// Every local of the frame that is shown, and what it returned.

import { el } from "../shared/kit.js";
import { content, layout } from "./numbers.js";
import { reveal } from "./reveal.js";
import { brief } from "./tape.js";
import { WORDS } from "./words.js";

function createValues() {
  const pane = el("div", { class: "values", role: "group" });
  const pinned = new Map(); // what the reader has opened or closed
  return {
    element: pane,
    draw(moment) {
      const isFact = ({ entry }) => moment.tape.value(entry).kind === "text";
      const shown = entriesOf(moment);
      const facts = shown.filter(isFact).map((each) => fact(moment, each));
      const cards = shown.filter((each) => !isFact(each)).map((each) => card(moment, each, pinned));
      const line = facts.length ? [el("p", { class: "facts" }, ...facts)] : [];
      pane.setAttribute("aria-label", WORDS.locals(moment.fn.name));
      pane.replaceChildren(...line, ...cards);
      reveal(pane, pane.querySelector(".value.changed"), 0.1);
    },
  };
}

// The outcome of the step, if it has one, and the locals.
function entriesOf({ at, isRunning }) {
  const outcome = isRunning && WORDS.outcome[at.event];
  const first = outcome ? [{ name: outcome, entry: at.outcome, isOutcome: true }] : [];
  const locals = [...at.locals].map(([name, { entry, before, since }]) => {
    const isChanged = isRunning && at.changed.includes(name);
    const isNew = since === at.opened && !outcome;
    return { name, entry, before, isChanged, isNew };
  });
  return [...first, ...locals];
}

const isMarked = ({ isChanged, isOutcome }) => isChanged || isOutcome;
const badge = ({ isChanged }) => (isChanged ? el("span", { class: "badge" }, WORDS.changed) : "");

function fact({ tape }, each) {
  const look = isMarked(each) ? "fact changed" : "fact";
  const text = ` = ${tape.value(each.entry).text}`;
  return el("span", { class: look }, el("b", {}, each.name), text, badge(each));
}

// A head that opens and closes. Not <details>, which every host styles in its own way.
function card({ tape, fn }, each, pinned) {
  const { name, entry, before } = each;
  const value = tape.value(entry);
  const key = `${fn.name}.${name}`;
  const shape = el("span", { class: "shape" }, brief(tape, entry));
  const parts = [el("b", {}, name), " ", shape, badge(each), layout(value)];
  const head = el("button", { type: "button", class: "head" }, ...parts);
  const body = el("div", { class: "body" });

  function open(isOpen) {
    head.setAttribute("aria-expanded", isOpen);
    body.hidden = !isOpen;
    if (isOpen && !body.hasChildNodes()) body.append(content(tape, name, entry, before));
  }

  head.addEventListener("click", () => {
    pinned.set(key, body.hidden);
    open(body.hidden);
  });
  const byItself = each.isNew && value.kind !== "module";
  open(isMarked(each) || (pinned.get(key) ?? byItself));
  return el("div", { class: isMarked(each) ? "value changed" : "value" }, head, body);
}

export { createValues };
