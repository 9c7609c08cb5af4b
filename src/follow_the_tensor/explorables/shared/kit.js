// What the explorables share: elements, controls, grids of numbers, and the link to the model.

// Create an element. Text is always set as text, never as HTML.
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function svg(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// JSON has no infinities, so they travel as the strings that Python prints.
const SPECIAL = { inf: Infinity, "-inf": -Infinity, nan: NaN };
const toNumber = (value) => (typeof value === "string" ? SPECIAL[value] : value);
const toPlain = (value) => (Number.isFinite(value) ? value : String(value).toLowerCase().replace("infinity", "inf"));

function format(value, digits = 4) {
  const number = toNumber(value);
  if (typeof number === "boolean") return number ? "1" : "0";
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  if (Number.isInteger(number) && Math.abs(number) < 1e6) return String(number).replace("-", "−");
  const large = Math.abs(number) >= 1e5;
  return (large ? number.toExponential(1) : number.toFixed(digits)).replace("-", "−");
}

// Read what a reader typed. Throws a message that can be shown beside the field.
function parse(text, { min = -1e6, max = 1e6, integer = false } = {}) {
  const number = Number(text.trim().replace("−", "-"));
  if (text.trim() === "" || !Number.isFinite(number)) throw new Error(`“${text}” is not a number`);
  if (integer && !Number.isInteger(number)) throw new Error(`${text} is not a whole number`);
  if (number < min || number > max) throw new Error(`${text} is not between ${min} and ${max}`);
  return number;
}

// Set traits and tell the kernel, or the page, at once.
function save(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}

// Draw now and after each change of the named traits; returns what anywidget calls to clean up.
function follow(model, names, draw) {
  const events = names.map((name) => `change:${name}`);
  for (const event of events) model.on(event, draw);
  draw();
  return () => events.forEach((event) => model.off(event, draw));
}

let ids = 0;
const nextId = () => `ftt-${++ids}`;

function slider(label, { min, max, step = 1, digits = 0 }, onInput) {
  const id = nextId();
  const input = el("input", { id, type: "range", min, max, step });
  const output = el("output", { for: id });
  input.addEventListener("input", () => onInput(Number(input.value)));
  return {
    element: el("div", { class: "control" }, el("label", { for: id }, label), input, output),
    update(value, text = format(value, digits)) {
      input.value = value;
      input.setAttribute("aria-valuetext", text);
      output.value = text;
    },
  };
}

function toggle(label, onChange) {
  const id = nextId();
  const input = el("input", { id, type: "checkbox" });
  input.addEventListener("change", () => onChange(input.checked));
  return {
    element: el("div", { class: "control" }, input, el("label", { for: id }, label)),
    update(value) {
      input.checked = value;
    },
  };
}

// One of a few: options are [value, text] pairs.
function choice(label, options, onChange) {
  const name = nextId();
  const inputs = options.map(([value, text]) => {
    const input = el("input", { type: "radio", name, value });
    input.addEventListener("change", () => onChange(value));
    return { value, input, element: el("label", {}, input, el("span", {}, text)) };
  });
  const buttons = el("div", { class: "choice" }, ...inputs.map((each) => each.element));
  return {
    element: el("fieldset", { class: "control" }, el("legend", {}, label), buttons),
    update(value) {
      for (const each of inputs) each.input.checked = each.value === value;
    },
  };
}

// A button that brings back the state which the named traits have now.
function reset(model, names) {
  const start = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  return el("button", { type: "button", class: "reset", onclick: () => save(model, start) }, "reset");
}

// A field for text; `onText` acts on it, or throws what to tell the reader.
function field(label, onText) {
  const id = nextId();
  const input = el("input", { id, type: "text", autocomplete: "off", spellcheck: "false" });
  const message = el("span", { class: "message", role: "status" });
  return {
    element: el("div", { class: "control" }, el("label", { for: id }, label), input, message),
    update: editable(input, message, onText),
  };
}

// What cannot be read gets a message and changes nothing; the last good text comes back in
// the end. Returns a function that writes a new good text, but never under the reader's hands.
function editable(input, message, onText) {
  let good = "";
  const say = (text) => {
    message.textContent = text;
    input.setAttribute("aria-invalid", String(text !== ""));
  };
  input.addEventListener("input", () => {
    try {
      onText(input.value);
      say("");
    } catch (error) {
      say(error.message);
    }
  });
  input.addEventListener("blur", () => {
    input.value = good;
    say("");
  });
  return (text) => {
    good = text;
    if (document.activeElement !== input) input.value = text;
  };
}

// A table of numbers, shaded by size in the colour of `role`. Cells show, edit or toggle.
//   rows, columns: functions from an index to a label
//   onEdit(row, column, number) makes cells editable; onToggle(row, column) makes them buttons
function grid({ caption, role = "weights", rows = String, columns = String, digits = 4, onEdit, onToggle }) {
  const title = el("caption", {}, caption);
  const table = el("table", { class: "grid" }, title);
  const message = el("div", { class: "message", role: "status" });
  let cells = [];

  function build(height, width) {
    const labelled = rows(0) !== "";
    const head = el("tr", {}, ...(labelled ? [el("td")] : []));
    for (let column = 0; column < width; column++) head.append(el("th", { scope: "col" }, columns(column)));
    const lines = [];
    cells = [];
    for (let row = 0; row < height; row++) {
      const made = Array.from({ length: width }, (_, column) => cell(row, column));
      cells.push(made);
      const heading = labelled ? [el("th", { scope: "row" }, rows(row))] : [];
      lines.push(el("tr", {}, ...heading, ...made.map((each) => each.element)));
    }
    table.replaceChildren(title, el("thead", {}, head), el("tbody", {}, ...lines));
  }

  function cell(row, column) {
    const label = `${caption}, ${rows(row)}, ${columns(column)}`;
    if (onEdit) {
      const input = el("input", { "aria-label": label, inputmode: "decimal", autocomplete: "off" });
      const write = editable(input, message, (text) => onEdit(row, column, parse(text)));
      return { element: el("td", {}, input), write };
    }
    if (onToggle) {
      const button = el("button", { type: "button", "aria-label": label, tabindex: row + column ? -1 : 0 });
      button.addEventListener("click", () => onToggle(row, column));
      return {
        element: el("td", {}, button),
        write(text) {
          button.textContent = text;
          button.setAttribute("aria-pressed", String(text === "1"));
        },
      };
    }
    const element = el("td");
    return { element, write: (text) => (element.textContent = text) };
  }

  function draw(row, column, value, isBlocked, scale, small) {
    const drawn = cells[row][column];
    const now = `${value} ${isBlocked} ${scale} ${small}`;
    if (drawn.last === now) return; // one input changes few cells, and styling is what takes time
    drawn.last = now;
    const text = format(value, digits);
    drawn.write(small ? "" : text);
    drawn.element.title = small ? `${rows(row)}, ${columns(column)}: ${text}` : "";
    drawn.element.classList.toggle("blocked", isBlocked);
    paint(drawn.element, toNumber(value), scale, role);
  }

  if (onToggle) table.addEventListener("keydown", (event) => moveFocus(event, cells));

  return {
    element: el("div", { class: "grid-frame" }, table, message),
    // blocked: the same shape, true where a cell is masked; scale: the value of full colour;
    // small: show colours without numbers, which then stand in a tooltip
    update(values, { blocked, scale = 1, small = false } = {}) {
      table.classList.toggle("small", small);
      if (cells.length !== values.length || cells[0]?.length !== values[0]?.length) {
        build(values.length, values[0]?.length ?? 0);
      }
      values.forEach((line, row) =>
        line.forEach((value, column) => draw(row, column, value, Boolean(blocked?.[row]?.[column]), scale, small)),
      );
    },
  };
}

// Shade a cell by the size of its number; a negative number takes the colour of the keys.
function paint(element, number, scale, role) {
  const share = Number.isFinite(Number(number)) ? Math.min(Math.abs(number) / scale, 1) : 0;
  element.style.setProperty("--share", `${(share * 45).toFixed(1)}%`);
  element.style.setProperty("--tone", `var(--ftt-${number < 0 ? "keys" : role})`);
}

// Arrow keys move between the buttons of a grid, which is a single stop of the Tab key.
function moveFocus(event, cells) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
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

export { el, toNumber, toPlain, format, parse, save, follow, slider, toggle, choice, field, grid, paint, reset, svg, nextId };
