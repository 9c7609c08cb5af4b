// A table of bars: a name, a bar, a number in each line.

import { el } from "./kit.js";

// Lines are { name, share, text, isChosen }; the bar of share 1 has the full width.
function createBarTable(caption, count) {
  const lines = Array.from({ length: count }, barLine);
  const body = el("tbody", {}, ...lines.map((line) => line.element));
  return {
    element: el("table", { class: "bars" }, el("caption", {}, caption), body),
    update(contents) {
      lines.forEach((line, n) => line.write(contents[n]));
    },
  };
}

function barLine() {
  const name = el("th", { scope: "row" });
  const [bar, number] = [el("span", { class: "bar" }), el("span")];
  const element = el("tr", {}, name, el("td", {}, bar, number));
  return {
    element,
    write(content) {
      element.hidden = !content;
      if (!content) return;
      name.textContent = content.name;
      bar.style.setProperty("--part", content.share);
      number.textContent = content.text;
      element.classList.toggle("chosen", content.isChosen);
    },
  };
}

export { createBarTable };
