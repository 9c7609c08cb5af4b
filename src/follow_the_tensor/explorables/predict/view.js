import { el, nextId } from "../shared/kit.js";
import { plainWords, sameAnswer, whole } from "../shared/typed.js";

const defaults = { question: "", answer: "", reason: "", hints: {}, options: [], given: "" };

function compute({ given, answer, hints }) {
  if (!plainWords(given)) return { verdict: "", hint: "" };
  if (sameAnswer(given, answer)) return { verdict: "right", hint: "" };
  const fitting = Object.entries(hints).find(([wrong]) => sameAnswer(given, wrong));
  return { verdict: "wrong", hint: fitting?.[1] ?? "" };
}

function render({ store, root }) {
  const { question, options } = store.state;
  const give = (given) => store.set({ given });
  const answering = options.length ? createOptions(options, give) : createField(store, give);
  const verdict = el("p", { class: "verdict", role: "status" });

  root.append(
    el("p", { class: "question" }, el("label", { for: answering.id }, question)),
    answering.element,
    verdict,
  );

  store.follow(({ state, result }) => {
    answering.update(state.given);
    verdict.dataset.verdict = result.verdict;
    verdict.textContent = {
      "": "",
      right: `✓ ${state.answer}. ${state.reason}`,
      wrong: `✗ Not that. ${result.hint || "Try again."}`,
    }[result.verdict];
  });
}

function createOptions(options, give) {
  const buttons = options.map((option) =>
    el("button", { type: "button", "aria-pressed": "false", onclick: () => give(option) }, option),
  );
  return {
    element: el("div", { class: "controls" }, ...buttons),
    update: (given) =>
      buttons.forEach((button, n) => button.setAttribute("aria-pressed", options[n] === given)),
  };
}

function createField(store, give) {
  const id = nextId();
  const input = el("input", {
    id,
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    size: 24,
  });
  const show = () => give(store.state.answer);
  const form = el(
    "form",
    { class: "control" },
    input,
    el("button", { type: "submit" }, "check"),
    el("button", { type: "button", onclick: show }, "show the answer"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault(); // a page must not be sent anywhere
    give(whole(input.value));
  });
  return {
    id,
    element: form,
    update(given) {
      if (document.activeElement !== input) input.value = given;
    },
  };
}

export default { defaults, compute, render };
