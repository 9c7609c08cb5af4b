// The source of the function that is shown, with the line that runs next.

import { el } from "../shared/kit.js";
import { highlight } from "./highlight.js";
import { reveal } from "./reveal.js";
import { WORDS } from "./words.js";

// `goToLine` goes to the next step at a line of the function that is shown.
function createSource(goToLine) {
  const list = el("ol", { class: "source" });
  const unfolded = new Set(); // functions whose docstring is shown whole
  let written;

  function write(moment) {
    const { fn } = moment;
    written = fn;
    const unfold = () => {
      unfolded.add(fn);
      write(moment);
      mark(list, moment);
    };
    list.replaceChildren(...linesOf(moment, unfolded.has(fn), goToLine, unfold));
    list.setAttribute("aria-label", WORDS.source(fn.name));
    const { length } = String(fn.source.split("\n").length);
    list.style.setProperty("--digits", `${length}ch`);
  }

  return {
    element: list,
    moveFocus(from, direction) {
      const lines = [...list.querySelectorAll("button")];
      lines[lines.indexOf(from) + direction]?.focus();
    },
    focus: () => list.querySelector("[aria-current]")?.focus({ preventScroll: true }),
    draw(moment) {
      if (written !== moment.fn) write(moment);
      mark(list, moment);
      reveal(list, list.querySelector("[aria-current]")?.parentElement, 0.4);
    },
  };
}

function linesOf({ tape, fn }, isUnfolded, goToLine, unfold) {
  const [from, to] = fn.docstring ?? [0, 0];
  const stops = new Set(tape.stepsIn(fn).map((step) => step.line));
  return fn.source.split("\n").flatMap((text, index) => {
    const line = index + 1;
    if (line > from && line <= to && !isUnfolded) {
      return line === from + 1 ? [fold(line, to - from, unfold)] : [];
    }
    const isString = line >= from && line <= to;
    return [sourceLine(line, text, isString, stops.has(line) && (() => goToLine(line)))];
  });
}

function fold(line, count, unfold) {
  const button = el("button", { type: "button", onclick: unfold }, WORDS.docstring(count));
  return el("li", { value: line, class: "fold" }, button);
}

function sourceLine(line, text, isString, onclick) {
  const indent = text.search(/\S|$/) + 2; // where a line that is too long goes on
  const parts = isString ? [el("span", { class: "string" }, text)] : highlight(text);
  const code = el("code", {}, ...parts);
  code.style.setProperty("--indent", `${indent}ch`);
  const inner = onclick
    ? el("button", { type: "button", title: WORDS.moves, onclick }, code)
    : el("span", {}, code);
  return el("li", { value: line }, inner);
}

// Mark the line that runs, the one before it, and an error at its line.
function mark(list, { fn, at, isRunning }) {
  const end = fn.heads.find(([first]) => first === at.line)?.[1] ?? at.line;
  const past = at.event === "line" ? at.before?.line : undefined;
  for (const item of list.children) {
    const line = item.value;
    const current = line >= at.line && line <= end;
    const marks = { current, past: line === past, waits: current && !isRunning };
    for (const event of ["return", "yield", "exception"]) {
      marks[event] = current && at.event === event;
    }
    for (const [name, on] of Object.entries(marks)) item.classList.toggle(name, on);
    markButton(item.querySelector("button"), line === at.line);
    item.querySelector(".message")?.remove();
    if (line === end && at.event === "exception") item.append(errorOf(at));
  }
}

function markButton(button, isCurrent) {
  if (!button) return;
  if (isCurrent) button.setAttribute("aria-current", "step");
  else button.removeAttribute("aria-current");
  button.tabIndex = isCurrent ? 0 : -1;
}

function errorOf({ outcome }) {
  return el("span", { class: "message" }, `${outcome.type}: ${outcome.message}`);
}

export { createSource };
