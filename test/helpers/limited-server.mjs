/**
 * A server in a process of its own, with limits that `kindred serve` has no flags for: started by limited-server.ts. A thread beside
 * it that does nothing but look at the clock knows for how long the machine had no time for this process.
 */
import { Worker } from 'node:worker_threads';
import { startServer } from '../../dist/node/server/server.js';

const stalled = new Float64Array(new SharedArrayBuffer(8));
const watch = `
  const { workerData } = require('node:worker_threads');
  let before = performance.now();
  setInterval(() => {
    const now = performance.now();
    workerData[0] = Math.max(workerData[0], now - before - 5);
    before = now;
  }, 5);
`;
const watching = new Worker(watch, { eval: true, workerData: stalled });

/** By federation and round: who had no connection when the round was closed. */
const gone = {};

function recorderFor(federation) {
  const away = new Set();
  let atClosing = [];
  gone[federation] = {};
  return {
    started() {},
    step(input, effects) {
      if (input.type === 'away') away.add(input.id);
      if (input.type === 'message') away.delete(input.from);
      for (const { type, row } of effects) {
        if (type === 'summation') atClosing = [...away];
        if (type === 'row') gone[federation][row.round] = atClosing;
      }
    },
  };
}

const server = await startServer({ ...JSON.parse(process.argv[2]), recorderFor });
process.send({ url: server.url, token: server.operatorToken });
process.on('message', () => process.send({ stalledMs: stalled[0], gone }));
// Whoever started it may have died.
process.once('disconnect', () => process.exit());
process.once('SIGTERM', async () => {
  await Promise.all([server.close(), watching.terminate()]);
  process.disconnect();
});
