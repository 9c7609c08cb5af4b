// Goes from step to step by itself until it is stopped.

// `advance` goes one step on; `changed` is told whether it runs now.
function createPlayer(milliseconds, advance, changed) {
  let timer = null;

  function start() {
    timer ??= setInterval(advance, milliseconds);
    changed(true);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    changed(false);
  }

  return { start, stop, isRunning: () => timer !== null };
}

export { createPlayer };
