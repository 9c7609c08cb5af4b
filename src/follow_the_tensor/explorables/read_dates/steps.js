// The answer, written step by step: how sure the model is, and what else it could have written.

import { createBarTable } from "../shared/bars.js";
import { el, slider } from "../shared/kit.js";
import { createPlayer } from "../shared/player.js";
import { judge, percent, product } from "./answer.js";
import { show, WORDS } from "./words.js";

const PAUSE = 600; // milliseconds between two steps while it runs
const BARS = 5;

function createSteps(store) {
  let step, last;
  const go = (to) => store.set({ step: Math.min(to, last) });
  const run = el("button", { type: "button" }, WORDS.run);
  const player = createPlayer(
    PAUSE,
    () => go(step + 1),
    (isRunning) => {
      run.textContent = isRunning ? WORDS.pause : WORDS.run;
    },
  );
  run.addEventListener("click", () => {
    if (player.isRunning()) return player.stop();
    player.start();
    go(step === last ? 0 : step + 1);
  });
  const next = el("button", { type: "button", onclick: () => go(step + 1) }, WORDS.next);
  const position = slider(WORDS.step, { min: 0, max: 0 }, go);
  const verdict = el("p", { class: "verdict", role: "status" });

  return {
    elements: [verdict, el("div", { class: "controls" }, run, next, position.element)],
    stop: player.stop,
    draw(now) {
      ({ step, last } = now);
      const isDone = step === last;
      if (isDone) player.stop();
      position.update(step, { text: WORDS.count(step, last + 1), last });
      next.setAttribute("aria-disabled", String(isDone));
      verdict.textContent = isDone ? judge(now) : WORDS.soFar(percent(product(now, step)));
    },
  };
}

// The most probable characters of a step, the others in one sum.
function createBars() {
  const bars = createBarTable(WORDS.distribution, BARS + 1);
  return {
    elements: [bars.element],
    draw({ probabilities, target, written, step }) {
      const shares = probabilities[step].map((share, id) => ({ name: target[id], share }));
      shares.sort((a, b) => b.share - a.share);
      const rest = shares.splice(BARS);
      const sum = rest.reduce((total, { share }) => total + share, 0);
      const lines = [...shares, { name: WORDS.others(rest.length), share: sum }];
      bars.update(lines.map(({ name, share }) => line(name, share, name === written[step])));
    },
  };
}

const line = (name, share, isChosen) => ({
  name: show(name),
  share,
  text: percent(share),
  isChosen,
});

export { createBars, createSteps };
