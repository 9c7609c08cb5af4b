// Grids of numbers.

import { editable, el, format, toNumber } from "./kit.js";
import { parse } from "./typed.js";

// A table of numbers, shaded by size in the colour of `role`. Cells show, edit or toggle.
//   rows, columns: functions from an index to a label
//   onEdit(row, column, number) makes cells editable; onToggle(row, column) makes them buttons
function grid({ caption, role = "weights", rows = String, columns = String, digits = 4, ...on }) {
  const title = el("caption", {}, caption);
  const table = el("table", { class: "grid", style: `--tone: var(--ftt-${role})` }, title);
  const message = el("div", { class: "message", role: "status" });
  let cells = [];

  function build(height, width) {
    cells = range(height).map((row) => range(width).map((column) => cell(row, column)));
    const labelled = rows(0) !== "";
    const heading = (row) => (labelled ? [el("th", { scope: "row" }, rows(row))] : []);
    const head = range(width).map((column) => el("th", { scope: "col" }, columns(column)));
    const lines = cells.map((line, row) =>
      el("tr", {}, ...heading(row), ...line.map((each) => each.element)),
    );
    const corner = labelled ? [el("td")] : [];
    const first = el("tr", {}, ...corner, ...head);
    table.replaceChildren(title, el("thead", {}, first), el("tbody", {}, ...lines));
  }

  function cell(row, column) {
    const label = `${caption}, ${rows(row)}, ${columns(column)}`;
    if (on.onEdit) return editedCell(label, message, (number) => on.onEdit(row, column, number));
    if (on.onToggle) return buttonCell(label, row + column === 0, () => on.onToggle(row, column));
    return shownCell();
  }

  function draw(row, column, value, look) {
    const drawn = cells[row][column];
    const now = `${value} ${Object.values(look)}`;
    if (drawn.last === now) return; // one input changes few cells, and styling is what takes time
    drawn.last = now;
    const text = format(value, digits);
    drawn.write(look.small ? "" : text, look.fixed);
    drawn.element.title = look.small ? `${rows(row)}, ${columns(column)}: ${text}` : "";
    drawn.element.classList.toggle("blocked", look.blocked);
    paint(drawn.element, toNumber(value), look.scale, role, look.small);
  }

  if (on.onToggle) table.addEventListener("keydown", (event) => moveFocus(event, cells));

  return {
    element: el("div", { class: "grid-frame" }, table, message),
    // blocked: the same shape, true where a cell is masked; fixed: true where it cannot be
    // toggled; scale: the value of full colour; small: colours without numbers, which then
    // stand in a tooltip
    update(values, { blocked = [], fixed = [], scale = 1, small = false } = {}) {
      table.classList.toggle("small", small);
      const [height, width] = [values.length, values[0]?.length ?? 0];
      if (cells.length !== height || cells[0]?.length !== width) build(height, width);
      const at = (flags, row, column) => Boolean(flags[row]?.[column]);
      for (const row of range(height)) {
        for (const column of range(width)) {
          const flags = { blocked: at(blocked, row, column), fixed: at(fixed, row, column) };
          draw(row, column, values[row][column], { ...flags, scale, small });
        }
      }
    },
  };
}

const range = (count) => Array.from({ length: count }, (_, n) => n);

function shownCell() {
  const element = el("td");
  return { element, write: (text) => element.replaceChildren(text) };
}

function editedCell(label, message, onEdit) {
  const input = el("input", { "aria-label": label, inputmode: "decimal", autocomplete: "off" });
  const write = editable(input, message, (text) => onEdit(parse(text)));
  return { element: el("td", {}, input), write };
}

function buttonCell(label, isFirst, onToggle) {
  const button = el("button", { type: "button", "aria-label": label, tabindex: isFirst ? 0 : -1 });
  button.addEventListener(
    "click",
    () => button.getAttribute("aria-disabled") === "true" || onToggle(),
  );
  return {
    element: el("td", {}, button),
    write(text, fixed) {
      button.textContent = text;
      button.setAttribute("aria-pressed", String(text === "1"));
      button.setAttribute("aria-disabled", String(fixed));
    },
  };
}

// The role that a name asks for, as `draw` gives it (NAMED in drawing/cells.py).
const NAMED = [
  ["queries", /^(q|quer(y|ies))(?![a-z])/i],
  ["keys", /^(k|keys?)(?![a-z])/i],
  ["values", /^(v|values?|context)(?![a-z])/i],
  ["weights", /^(w|weights?)(?![a-z])/i],
];
const roleOf = (name) => NAMED.find(([, pattern]) => pattern.test(name))?.[0] ?? "masked";

// Shade a cell by the size of its number. Where no number is written, a negative one takes the
// colour of the keys, as in `draw`.
function paint(element, number, scale, role, small = false) {
  const share = Number.isFinite(Number(number)) ? Math.min(Math.abs(number) / scale, 1) : 0;
  const other = role === "keys" ? "queries" : "keys";
  element.style.setProperty("--share", `${(share * 45).toFixed(1)}%`);
  element.style.setProperty("--tone", `var(--ftt-${small && number < 0 ? other : role})`);
}

const DIRECTIONS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

// Arrow keys move between the buttons of a grid, which is a single stop of the Tab key.
function moveFocus(event, cells) {
  const step = DIRECTIONS[event.key];
  if (!step) return;
  const row = cells.findIndex((line) => line.some((each) => each.element.contains(event.target)));
  const column = cells[row].findIndex((each) => each.element.contains(event.target));
  const target = cells[row + step[0]]?.[column + step[1]]?.element.firstElementChild;
  if (!target) return;
  event.preventDefault();
  event.target.tabIndex = -1;
  target.tabIndex = 0;
  target.focus();
}

export { grid, paint, roleOf };
