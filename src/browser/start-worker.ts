/** Where the script of the worker is: beside this file, under a name that bundlers recognise. */

export function startWorker(): Worker {
  return new Worker(new URL('./participant-worker.js', import.meta.url), { type: 'module', name: 'kindred' });
}
