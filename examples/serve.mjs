/**
 * A coordinator inside a Node service: a store, a federation, an invitation for a participant, and a clean stop.
 *
 *   node examples/serve.mjs [store.db]
 *
 * Participants join with: kindred join <url> --data mine.csv --task all --name ada --state ada --invitation-file <file>
 */
import { parseOptions, startServer } from 'kindred/server';

const server = await startServer({
  store: process.argv[2] ?? 'kindred.db',
  // This machine only; use 0.0.0.0 with `tls` to accept others.
  host: '127.0.0.1',
  port: 0,
  enrolment: 'invitation',
});

// Participants reconnect later; all durable data are already in the store.
process.once('SIGINT', async () => {
  await server.close();
  console.log('stopped');
});

// Created at the first start, reused after every restart.
await server.ensure('default', parseOptions('serve.mjs', { minParticipants: 2 }));
const [{ token }] = await server.invite('default', { lifetimeMs: 24 * 3600 * 1000 });

console.log(`coordinator at ${server.url}`);
console.log(`an invitation, good once within a day: ${token}`);

// The HTTP API is available from here, too.
const headers = { authorization: `Bearer ${server.operatorToken}` };
const { phase, participants } = await (
  await fetch(`${server.url}/v1/federations/default`, { headers })
).json();
console.log(`federation "default": ${phase}, ${participants.connected} connected`);
