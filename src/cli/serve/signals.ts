/** Signals of a process that serves: to stop, and to read certificates again. */

/** `stop`: the first signal to stop. The second ends the process at once. */
export function listenToSignals(onReload: () => void): { readonly stop: Promise<void>; release(): void } {
  let stopping = false;
  let release = () => {};
  const stop = new Promise<void>((resolve) => {
    const onStop = () => {
      if (stopping) process.exit(1);
      stopping = true;
      resolve();
    };
    process.on('SIGINT', onStop).on('SIGTERM', onStop).on('SIGHUP', onReload);
    release = () => process.off('SIGINT', onStop).off('SIGTERM', onStop).off('SIGHUP', onReload);
  });
  return { stop, release };
}
