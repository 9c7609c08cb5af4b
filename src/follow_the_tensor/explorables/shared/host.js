// Brings the explorables of a page to life without a kernel.
// A page holds <div class="explorable" data-module="…" data-state="{…}">still</div>.

// weights: by module, what its `compute` needs beside the state; a script of the page puts it here
const explorables = { define, weights: {} };

function define(name, factory) {
  const module = factory(kit);
  const compute = (state) => module.compute?.(state, explorables.weights[name]) ?? {};
  for (const element of document.querySelectorAll(`.explorable[data-module="${name}"]`)) {
    const model = createModel(JSON.parse(element.dataset.state), compute);
    const view = document.createElement("div");
    module.render({ model, el: view });
    element.replaceChildren(view); // the still stays until the view has been drawn
    element.classList.add("live");
  }
}

// What a module needs of the model that anywidget passes it in Jupyter.
function createModel(state, compute) {
  const listeners = new Map();
  const changed = new Set();
  state.result = compute(state);

  return {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
      changed.add(`change:${name}`);
    },
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    off(event, listener) {
      listeners.set(event, (listeners.get(event) ?? []).filter((each) => each !== listener));
    },
    save_changes() {
      state.result = compute(state);
      const events = [...changed, "change:result"];
      changed.clear();
      // A view listens to several traits with one function, and draws once for all of them.
      for (const listener of new Set(events.flatMap((event) => listeners.get(event) ?? []))) listener();
    },
  };
}
