import { el, follow, nextId, save } from "../shared/kit.js";

const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi;

function compute({ given, answer }) {
  if (!given.trim()) return { verdict: "" };
  return { verdict: same(given, answer) ? "right" : "wrong" };
}

// What may stand around numbers: brackets, commas, torch.Size.
const FRAME = /torch\.Size|[\s()[\],]/g;

// The same numbers in order, to the digits that are shown; or the same words.
function same(given, right) {
  if (right.replace(NUMBER, "").replace(FRAME, "")) return given.trim().toLowerCase() === right.trim().toLowerCase();
  const numbers = right.match(NUMBER);
  const mine = given.replace(/−/g, "-").match(NUMBER) ?? [];
  return mine.length === numbers.length && numbers.every((number, n) => Math.abs(mine[n] - number) <= halfDigit(number));
}

function halfDigit(number) {
  const decimals = number.split(".")[1] ?? "";
  return /^\d+$/.test(decimals) ? 0.501 * 10 ** -decimals.length : 1e-9;
}

function render({ model, el: root }) {
  const id = nextId();
  const options = model.get("options");
  const input = el("input", { id, type: "text", autocomplete: "off", spellcheck: "false", size: 24 });
  const verdict = el("p", { class: "verdict", role: "status" });
  const give = (given) => save(model, { given });
  const show = el("button", { type: "button", onclick: () => give(model.get("answer")) }, "show the answer");

  const typed = el("form", { class: "control" }, input, el("button", { type: "submit" }, "check"), show);
  typed.addEventListener("submit", (event) => {
    event.preventDefault(); // a page must not be sent anywhere
    give(input.value);
  });
  const picked = options.map((option) => el("button", { type: "button", "aria-pressed": "false", onclick: () => give(option) }, option));

  root.append(
    el("p", { class: "question" }, el("label", { for: options.length ? undefined : id }, model.get("question"))),
    options.length ? el("div", { class: "controls" }, ...picked) : typed,
    verdict,
  );

  return follow(model, ["given", "result"], () => {
    const given = model.get("given");
    if (document.activeElement !== input) input.value = given;
    picked.forEach((button, n) => button.setAttribute("aria-pressed", String(options[n] === given)));
    verdict.dataset.verdict = model.get("result").verdict;
    verdict.textContent = {
      "": "",
      right: `✓ ${model.get("answer")}. ${model.get("reason")}`,
      wrong: "✗ Not that. Try again, or open the answer below.",
    }[model.get("result").verdict];
  });
}

export default { compute, render };
