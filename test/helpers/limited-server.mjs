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
const server = await startServer(JSON.parse(process.argv[2]));
process.send({ url: server.url, token: server.operatorToken });
process.on('message', () => process.send({ stalledMs: stalled[0] }));
// Whoever started it may have died.
process.once('disconnect', () => process.exit());
process.once('SIGTERM', async () => {
  await Promise.all([server.close(), watching.terminate()]);
  process.disconnect();
});
