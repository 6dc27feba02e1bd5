/** Signals of the system: stop, or reload certificates. */

const STOP = ['SIGINT', 'SIGTERM'] as const;

interface Signals {
  /** The first signal to stop. */
  readonly stop: Promise<void>;
  release(): void;
}

/** The second signal to stop ends the process at once. */
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
