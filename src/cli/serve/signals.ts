/** Wishes of the system that the program should stop, or read its files again. */

const STOP = ['SIGINT', 'SIGTERM'] as const;

interface Signals {
  /** The first wish that it should stop. */
  readonly stop: Promise<void>;
  release(): void;
}

/** The second wish to stop ends the process at once, whatever it is doing. */
export function listenToSignals(onReload: () => void): Signals {
  let ask = () => {};
  const stop = new Promise<void>((resolve) => {
    ask = resolve;
  });
  let asked = false;
  const onStop = () => {
    if (asked) process.exit(1);
    asked = true;
    ask();
  };
  for (const signal of STOP) process.on(signal, onStop);
  process.on('SIGHUP', onReload);
  return {
    stop,
    release: () => {
      for (const signal of STOP) process.off(signal, onStop);
      process.off('SIGHUP', onReload);
    },
  };
}
