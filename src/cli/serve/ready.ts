/** The output once the server listens. */
import { hostname } from 'node:os';
import type { CoordinatorServer } from '../../node/server/server.ts';
import { type Io, writeLines } from '../io.ts';
import { styleOf } from '../style.ts';
import { labelled } from '../text-table.ts';
import type { ServeFlags } from './flags.ts';

interface Ready {
  readonly server: CoordinatorServer;
  readonly flags: ServeFlags;
  readonly federation: string;
  /** Undefined: the token came from the environment. */
  readonly tokenFile: string | undefined;
}

export async function reportReady(io: Io, ready: Ready): Promise<void> {
  const { server, flags, tokenFile } = ready;
  if (!flags.json) {
    await writeLines(io, readyLines(io, ready));
    return;
  }
  const { store } = flags;
  const federations = [...server.federations.keys()];
  // On one line: whoever reads it need not know where it ends.
  const document = {
    url: server.url,
    store,
    federations,
    operatorTokenFile: tokenFile ?? null,
    pid: process.pid,
  };
  await io.stdout.write(`${JSON.stringify(document)}\n`);
}

function readyLines(io: Io, { server, flags, federation, tokenFile }: Ready): string[] {
  const style = styleOf(io);
  const line = (label: string, text: string) => labelled(label, text, style);
  const others = [...server.federations.keys()].filter((name) => name !== federation);
  const { phase, round } = server.federation(federation).host.state;
  const url = reachable(server.url);
  return [
    line('Listening', server.url),
    line('Store', flags.store),
    line(
      'Federation',
      `${federation}: ${phase}, round ${round}${others.length > 0 ? ` (also ${others.join(', ')})` : ''}`,
    ),
    line('Join', joinCommand(io, url, federation, server.enrolment)),
    ...(server.enrolment === 'open'
      ? []
      : [line('Invite', `${io.program} invite ${url}${ofFederation(federation)} --store ${flags.store}`)]),
    line('Token', tokenFile ?? 'as in KINDRED_OPERATOR_TOKEN'),
  ];
}

function joinCommand(io: Io, url: string, federation: string, enrolment: 'open' | 'invitation'): string {
  const address = federation === 'default' ? url : `${url}/${federation}`;
  const invitation = enrolment === 'open' ? '' : ' --invitation <token>';
  return `${io.program} join ${address} --data mine.csv --task all --name me --state my-state${invitation}`;
}

function ofFederation(federation: string): string {
  return federation === 'default' ? '' : ` --federation ${federation}`;
}

/** Nobody can connect to "all addresses". */
function reachable(url: string): string {
  return url.replace(/\/\/(0\.0\.0\.0|\[::\])/, `//${hostname()}`);
}
