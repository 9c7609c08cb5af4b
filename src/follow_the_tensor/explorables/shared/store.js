// The state of an explorable and what its module computes from it, for the panes that draw it.
// It works the same with a kernel and without: a module computes at once, in the browser.

// `model` is the widget's in Jupyter, and in a page an object that holds the state.
function createStore(model, { defaults, compute }) {
  const names = Object.keys(defaults);
  const draws = [];
  let setting = false; // the model tells of every name that is set, and the store draws once
  let waiting = false;

  const store = { set, follow, stop, reset: () => set(first) };

  function read() {
    store.state = Object.fromEntries(
      names.map((name) => [name, model.get(name) ?? defaults[name]]),
    );
    store.result = compute?.(store.state);
  }

  function refresh() {
    waiting = false;
    read();
    for (const draw of draws) draw(store);
  }

  // The kernel's changes come one after the other, too.
  function hear() {
    if (setting || waiting) return;
    waiting = true;
    queueMicrotask(refresh);
  }

  function set(changes) {
    setting = true;
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    setting = false;
    model.save_changes(); // to Python, which is not waited for
    refresh();
  }

  // Draw now and after each change.
  function follow(draw) {
    draws.push(draw);
    draw(store);
  }

  function stop() {
    for (const name of names) model.off(`change:${name}`, hear);
  }

  read();
  const first = store.state;
  for (const name of names) model.on(`change:${name}`, hear);
  return store;
}

// Draw a module into an element; returns what ends it.
function start(module, model, root) {
  const store = createStore(model, module);
  const stop = module.render({ store, root });
  return () => {
    stop?.();
    store.stop();
  };
}

export { start };
