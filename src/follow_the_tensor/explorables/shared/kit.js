// What the explorables share: elements and controls.

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
const toPlain = (value) =>
  Number.isFinite(value) ? value : String(value).toLowerCase().replace("infinity", "inf");

function format(value, digits = 4) {
  const number = toNumber(value);
  if (typeof number === "boolean") return number ? "1" : "0";
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  if (Number.isInteger(number) && Math.abs(number) < 1e6) return String(number).replace("-", "−");
  const large = Math.abs(number) >= 1e5;
  return (large ? number.toExponential(1) : number.toFixed(digits)).replace("-", "−");
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
    update(value, { text = format(value, digits), last = max } = {}) {
      input.max = last;
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

// One of many: options are [value, text] pairs.
function picker(label, options, onPick) {
  const id = nextId();
  const lines = options.map(([value, text]) => el("option", { value }, text));
  const select = el("select", { id, onchange: () => onPick(select.value) }, ...lines);
  return {
    element: el("div", { class: "control" }, el("label", { for: id }, label), select),
    update(value) {
      select.value = value;
    },
  };
}

// A button that brings back the state that the explorable had at first.
function reset(store) {
  return el("button", { type: "button", class: "reset", onclick: store.reset }, "reset");
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

export {
  choice,
  editable,
  el,
  field,
  format,
  nextId,
  picker,
  reset,
  slider,
  svg,
  toNumber,
  toPlain,
  toggle,
};
