// The calls that run, and in one sentence what happens.

import { el } from "../shared/kit.js";
import { brief } from "./tape.js";
import { WORDS } from "./words.js";

// `show` shows another frame of the stack.
function createStack(show) {
  const list = el("ol", { class: "calls", "aria-label": WORDS.stack });
  return {
    element: list,
    draw({ tape, number, frame }) {
      const items = tape.stack(number).map((each) => {
        const current = each === frame ? { "aria-current": "true" } : {};
        const attributes = { type: "button", ...current, onclick: () => show(each) };
        return el("li", {}, el("button", attributes, tape.functionOf(each).name));
      });
      list.replaceChildren(...items);
    },
  };
}

function createStatus() {
  const status = el("p", { class: "status", "aria-live": "polite" });
  return {
    element: status,
    // Nobody can listen to one sentence a second.
    hush: (isPlaying) => status.setAttribute("aria-live", isPlaying ? "off" : "polite"),
    draw(moment) {
      const { fn, at, isRunning } = moment;
      status.textContent = isRunning ? report(moment) : WORDS.waits(fn.name, at.line);
    },
  };
}

function report({ tape, fn, at: { line, event, outcome, changed, before } }) {
  if (event === "exception") return WORDS.raises(line, outcome.type, outcome.message);
  if (event === "return") return WORDS.returns(line, brief(tape, outcome));
  if (event === "yield") return WORDS.yields(line, brief(tape, outcome));
  const next = WORDS.next(line);
  if (!before) return `${WORDS.called(fn.name)} ${next}`;
  if (!changed.length) return `${WORDS.nothing(before.line)} ${next}`;
  return `${WORDS.made(before.line, changed.join(", "))} ${next}`;
}

// What a recording leaves out.
function createCut() {
  const cut = el("p", { class: "quiet" });
  return {
    element: cut,
    draw({ tape: { recording } }) {
      cut.textContent = recording.cut ? WORDS.cut(recording.cut) : "";
      cut.hidden = !recording.cut;
    },
  };
}

export { createCut, createStack, createStatus };
