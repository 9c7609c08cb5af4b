import { el } from "../shared/kit.js";
import { createControls } from "./controls.js";
import { createSource } from "./source.js";
import { createCut, createStack, createStatus } from "./stack.js";
import { momentOf, nextAt, prepare } from "./tape.js";
import { createValues } from "./values.js";

const defaults = { recording: {}, step: 0 };

function render({ store, root }) {
  let tape, moment;
  const show = (frame) => draw(momentOf(tape, moment.number, frame));
  const [stack, status, cut] = [createStack(show), createStatus(), createCut()];
  const controls = createControls(go, status.hush);
  const source = createSource((line) => {
    controls.stop();
    go(nextAt(tape, moment.number, moment.fn, line));
  });
  const values = createValues();
  const panes = [controls, stack, status, source, values, cut];

  const both = el("div", { class: "panes" }, source.element, values.element);
  const above = [controls, stack, status].map((pane) => pane.element);
  const view = el("div", { class: "stepper" }, ...above, both, cut.element);
  view.addEventListener("keydown", (event) => useKey(event, controls.act, source));
  root.append(view);

  function go(to) {
    const target = Math.min(Math.max(to, 0), tape.last);
    if (target !== moment.number) store.set({ step: target });
  }

  function draw(next) {
    moment = next;
    const focused = view.getRootNode().activeElement;
    const hadFocus = view.contains(focused);
    for (const pane of panes) pane.draw(moment);
    if (hadFocus && !view.contains(focused)) source.focus();
  }

  store.follow(({ state: { recording, step } }) => {
    view.hidden = !recording.steps; // there is nothing to show
    if (view.hidden) return;
    if (tape?.recording !== recording) tape = prepare(recording);
    const number = Math.min(step, tape.last);
    draw(momentOf(tape, number, tape.steps[number].frame));
  });
  return controls.stop;
}

function useKey(event, act, source) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const move = (direction) => source.moveFocus(event.target, direction);
  const action = {
    ArrowRight: () => act(event.shiftKey ? "over" : "forward"),
    ArrowLeft: () => act(event.shiftKey ? "under" : "back"),
    Home: () => act("first"),
    End: () => act("last"),
    ...(source.element.contains(event.target) && {
      ArrowDown: () => move(1),
      ArrowUp: () => move(-1),
    }),
  }[event.key];
  if (!action) return;
  event.preventDefault();
  event.stopPropagation(); // a notebook would move to another cell
  action();
}

export default { defaults, render };
