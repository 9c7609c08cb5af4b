// Buttons and a slider to go from step to step, and a button for each tensor that is made.

import { el, slider, svg, toggle } from "../shared/kit.js";
import { createPlayer } from "../shared/player.js";
import { along, beside } from "./tape.js";
import { WORDS } from "./words.js";

const ICONS = {
  first: "M4 3v10M12 3 7 8l5 5",
  back: "M10 3 5 8l5 5",
  play: "M4.5 2.5v11l8.5-5.5z",
  pause: "M5 3v10M11 3v10",
  forward: "M6 3l5 5-5 5",
  over: "M2 11c0-7 11-8 11 0M10 8.5l3 3 2.5-3.5",
  last: "M12 3v10M4 3l5 5-5 5",
};
const NAMES = ["first", "back", "play", "forward", "over", "last"];
const PAUSE = 1000; // milliseconds between two steps while it plays

// `go` goes to a step; `onPlay` is told whether it plays.
function createControls(go, onPlay) {
  let tape, number;
  let isSkipping = true;
  const player = createPlayer(
    PAUSE,
    () => go(along(tape, number, 1, isSkipping)),
    (isRunning) => {
      setIcon(buttons.play, isRunning ? "pause" : "play");
      onPlay(isRunning);
    },
  );
  const targets = {
    first: () => 0,
    back: () => along(tape, number, -1, isSkipping),
    forward: () => along(tape, number, 1, isSkipping),
    over: () => beside(tape, number, 1),
    under: () => beside(tape, number, -1),
    last: () => tape.last,
  };

  function act(name) {
    const wasRunning = player.isRunning();
    player.stop();
    if (name !== "play") go(targets[name]());
    else if (!wasRunning) play();
  }

  function play() {
    if (number === tape.last) go(0);
    player.start();
  }

  const buttons = Object.fromEntries(
    NAMES.map((name) => [name, iconButton(name, () => act(name))]),
  );
  const position = slider(WORDS.step, { min: 0, max: 0 }, (to) => go(to));
  const skip = toggle(WORDS.skip, (isOn) => (isSkipping = isOn));
  skip.update(isSkipping);
  const stops = createStops((to) => {
    player.stop();
    go(to);
  });
  const row = el("div", { class: "buttons" }, ...Object.values(buttons));
  const steps = el("div", { class: "controls" }, row, position.element, skip.element);
  return {
    element: el("div", {}, steps, stops.element),
    act,
    stop: player.stop,
    draw(moment) {
      ({ tape, number } = moment);
      stops.draw(moment);
      if (number === tape.last && player.isRunning()) player.stop();
      position.update(number, { text: WORDS.count(number, tape.last + 1), last: tape.last });
      // Not `disabled`: that would take the focus away and with it the arrow keys.
      for (const name of ["first", "back", "forward", "over", "last"]) {
        const end = name === "first" || name === "back" ? 0 : tape.last;
        buttons[name].setAttribute("aria-disabled", number === end);
      }
    },
  };
}

// The names of the tensors, each a way to the line that has just made it.
function createStops(go) {
  const element = el("div", { class: "stops", role: "group", "aria-label": WORDS.stops });
  let drawn, buttons;
  return {
    element,
    draw({ tape, number }) {
      if (drawn !== tape) {
        drawn = tape;
        buttons = tape.stops.map(([name, to]) =>
          el("button", { type: "button", onclick: () => go(to) }, name),
        );
        element.hidden = !buttons.length;
        element.replaceChildren(el("span", { class: "quiet" }, WORDS.stops), ...buttons);
      }
      tape.stops.forEach(([, to], n) => buttons[n].setAttribute("aria-pressed", to === number));
    },
  };
}

function iconButton(name, onclick) {
  const button = el("button", { type: "button", onclick });
  setIcon(button, name);
  return button;
}

function setIcon(button, name) {
  const look = name === "play" ? "filled" : "";
  const icon = svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: look });
  icon.append(svg("path", { d: ICONS[name] }));
  button.replaceChildren(icon);
  button.title = WORDS.controls[name];
  button.setAttribute("aria-label", WORDS.controls[name]);
}

export { createControls };
