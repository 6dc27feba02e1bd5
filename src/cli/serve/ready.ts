/** The output once the server listens. */
import { hostname } from 'node:os';
import type { CoordinatorServer } from '../../node/server/server.ts';
import type { Io } from '../io.ts';
import { type Layout, layoutFor } from '../layout.ts';
import type { ServeFlags } from '../serve.ts';

/** `tokenFile`: undefined where the token came from the environment. */
export async function reportReady(
  io: Io,
  server: CoordinatorServer,
  { json, store }: ServeFlags,
  federation: string,
  tokenFile: string | undefined,
): Promise<void> {
  const federations = [...server.federations.keys()];
  const { url } = server;
  const operatorTokenFile = tokenFile ?? null;
  // On one line: whoever reads it need not know where it ends.
  const text = json
    ? JSON.stringify({ url, store, federations, operatorTokenFile, pid: process.pid })
    : readyLines(io.program, server, store, federation, tokenFile, layoutFor(io)).join('\n');
  await io.stdout.write(`${text}\n`);
}

function readyLines(
  program: string,
  server: CoordinatorServer,
  store: string,
  federation: string,
  tokenFile: string | undefined,
  { line }: Layout,
): string[] {
  const others = [...server.federations.keys()].filter((name) => name !== federation);
  const { phase, round } = server.federation(federation).host.state;
  // Nobody can connect to "all addresses".
  const url = server.url.replace(/\/\/(0\.0\.0\.0|\[::\])/, `//${hostname()}`);
  const isDefault = federation === 'default';
  const isOpen = server.enrolment === 'open';
  const invite = `${program} invite ${url}${isDefault ? '' : ` --federation ${federation}`} --store ${store}`;
  const join = `${program} join ${isDefault ? url : `${url}/${federation}`} --data mine.csv --task all --name me --state my-state`;
  const also = others.length > 0 ? ` (also ${others.join(', ')})` : '';
  return [
    line('Listening', server.url),
    line('Store', store),
    line('Federation', `${federation}: ${phase}, round ${round}${also}`),
    line('Join', isOpen ? join : `${join} --invitation <token>`),
    ...(isOpen ? [] : [line('Invite', invite)]),
    line('Token', tokenFile ?? 'as in KINDRED_OPERATOR_TOKEN'),
  ];
}
