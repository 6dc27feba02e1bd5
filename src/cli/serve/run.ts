/** What `kindred serve` does. */
import { inputError } from '../../base/errors.ts';
import { labelOf } from '../../nats/connection.ts';
import { checkWritable } from '../../node/files/files.ts';
import { participantId } from '../../node/server/schemas.ts';
import { CoordinatorServer } from '../../node/server/server.ts';
import type { ServerOptions } from '../../node/server/server-options.ts';
import { isDamaged, replaceDamaged } from '../../node/store/salvage.ts';
import { isStoreFile, placeOfStore } from '../../node/store/store-address.ts';
import { commandLine, type Word } from '../command-line.ts';
import { type Io, note, warn } from '../io.ts';
import { INVITED, joinWords, OWN_CERTIFICATE, TO_INVITATION_FILE, trustWords } from '../join-command.ts';
import { joinLink } from '../join-link.ts';
import { type ListedKey, readKeyList } from '../key-list.ts';
import { type Layout, layoutFor, writeLines } from '../layout.ts';
import { printableJson } from '../printable.ts';
import { privacyLines } from '../privacy-lines.ts';
import { dashboardAt, originsOf } from './addresses.ts';
import { contradictions, type WantedFederation, wantedFederation } from './federation-file.ts';
import { certificateLines, certificateReport, withOwnCertificate } from './self-signed.ts';
import { operatorToken, type ServeFlags, serverOptions, warnWithoutTls } from './server-options.ts';
import { listenToSignals } from './signals.ts';
import { checkTreeFlags, isOnNats } from './tree-flags.ts';

/** How long those are waited for who take part but are not connected when training ends. */
const LINGER_MS = 3000;

export async function runServe(io: Io, given: ServeFlags): Promise<void> {
  checkTreeFlags(given);
  await checkWritable(placeOfStore(given.store));
  const flags = await withOwnCertificate(io, given);
  const wanted = await wantedFederation(flags);
  const allowed =
    flags.allow === undefined
      ? []
      : await readKeyList(flags.allow, 'BAD_ALLOW_LIST', (name) => participantId.safeParse(name).success);
  const { token, file } = await operatorToken(io, flags);
  if (isOnNats(flags)) {
    const { runRoot } = await import('./run-root.ts');
    const signals = listenToSignals(() => {});
    try {
      await runRoot(io, flags, {
        server: await serverOptions(io, flags, token),
        stop: signals.stop,
        prepare: (server) => prepare(io, server, wanted, allowed),
        report: (server) => reportReady(io, server, flags, wanted.name, file),
      });
    } finally {
      signals.release();
    }
    return;
  }
  const server = await openServer(io, flags, await serverOptions(io, flags, token));
  const signals = listenToSignals(() => server.reloadCertificates());
  try {
    await prepare(io, server, wanted, allowed);
    await server.listen();
    const recounted = flags.recount ? await server.recount() : [];
    for (const name of recounted) await note(io, `federation "${name}": all participants are asked again`);
    await warnWithoutTls(io, flags, '--tls-cert and --tls-key, or --tls-self-signed');
    await reportReady(io, server, flags, wanted.name, file);
    const over = flags.exitWhenFinished ? [server.whenFinished(LINGER_MS)] : [];
    const fenced = server.whenFenced().then((error) => {
      throw error;
    });
    await Promise.race([signals.stop, fenced, ...over]);
  } finally {
    await server.close();
    signals.release();
  }
}

/** Begins a new store in the place of a damaged one, where the operator asks for it. */
async function openServer(io: Io, flags: ServeFlags, options: ServerOptions): Promise<CoordinatorServer> {
  const { store, recount } = flags;
  try {
    return await CoordinatorServer.open(options);
  } catch (error) {
    if (!isStoreFile(store) || !isDamaged(error, store)) throw error;
    const { message } = error as Error;
    const hint = '--recount moves it aside, and participants start over';
    if (!recount) throw inputError('CORRUPT', `${message}; ${hint}`);
    const { movedTo, federations } = replaceDamaged(store);
    const known =
      federations.length > 0
        ? `participants of ${federations.join(', ')} start over automatically`
        : 'the old one could not be read: participants need a new --state';
    await warn(io, `${message}; moved to ${movedTo}; a new store is created, and ${known}`);
    return await CoordinatorServer.open(options);
  }
}

/** The federation is there before anybody can ask for it. */
async function prepare(
  io: Io,
  server: CoordinatorServer,
  wanted: WantedFederation,
  allowed: readonly ListedKey[],
): Promise<void> {
  const known = server.federations.get(wanted.name);
  await server.ensure(wanted.name, wanted.options);
  const other = known ? contradictions(wanted, known.record.options).join(', ') : '';
  const stored = `federation "${wanted.name}" is in the store with different options`;
  if (other !== '') await note(io, `${stored} (${other}): the stored options are used`);
  if (allowed.length === 0) return;
  const hint = `${io.program} invite ... --name <name> --key <key> lets it in again`;
  for (const { participant, line, file } of await server.allowListed(wanted.name, allowed))
    await warn(
      io,
      `${file}, line ${line}: "${participant}" was revoked with this key and stays revoked; ${hint}`,
    );
}

/** The output once the server listens. `tokenFile`: undefined where the token came from the environment. */
async function reportReady(
  io: Io,
  server: CoordinatorServer,
  flags: ServeFlags,
  federation: string,
  tokenFile: string | undefined,
): Promise<void> {
  const { json } = flags;
  // As the store calls itself: without a password.
  const store = server.store.name;
  const federations = [...server.federations.keys()];
  const { own, others } = originsOf(server, flags.hostName ?? []);
  const [nearest = own] = others;
  const certificate = await certificateReport(flags);
  if (json) {
    const operatorTokenFile = tokenFile ?? null;
    const document = {
      ...{ url: server.url, store, federations, operatorTokenFile, pid: process.pid },
      dashboard: dashboardAt(own),
      // Participants of a root are behind gateways.
      ...(!isOnNats(flags) && { page: joinLink(nearest, federation) }),
      ...(certificate && { certificate }),
    };
    // On one line: whoever reads it need not know where it ends.
    await io.stdout.write(`${printableJson(JSON.stringify(document))}\n`);
    return;
  }
  const { line } = layoutFor(io);
  const more = federations.filter((name) => name !== federation).join(', ');
  const { state } = server.federation(federation).host;
  const { phase, round } = state;
  const token = tokenFile !== undefined && !isStoreFile(flags.store) ? { operatorTokenFile: tokenFile } : {};
  const { join, invite } = await suggestions(server, { ...flags, ...token }, nearest, federation);
  const lines = [
    line('Listening', server.url),
    ...labelled(line, 'Dashboard', [...new Set([own, ...others])].map(dashboardAt)),
    ...(isOnNats(flags) ? [] : pageLines(line, others.length > 0 ? others : [own], federation)),
    line('Store', store),
    line('Federation', `${federation}: ${phase}, round ${round}${more && ` (also ${more})`}`),
    ...privacyLines(state.options.dp, line),
    ...certificateLines(certificate, nearest, line),
    isOnNats(flags)
      ? line(
          'Gateway',
          commandLine(io.program, 'gateway', '--aggregate', '--nats', labelOf(flags.nats.split(','))),
        )
      : line('Join', commandLine(io.program, ...join)),
    ...(server.enrolment === 'open' ? [] : [line('Invite', commandLine(io.program, ...invite))]),
    line('Token', tokenFile ?? 'as in KINDRED_OPERATOR_TOKEN'),
  ];
  await writeLines(io, lines);
}

function pageLines(line: Layout['line'], origins: readonly string[], federation: string): string[] {
  return labelled(
    line,
    'Page',
    origins.map((origin) => joinLink(origin, federation)),
  );
}

/** The label before the first text, the others below it. */
function labelled(line: Layout['line'], label: string, texts: readonly string[]): string[] {
  return texts.map((text, i) => line(i === 0 ? label : '', text));
}

/** How somebody joins this federation, and how the operator invites them. `base`: where they reach the server. */
async function suggestions(
  server: CoordinatorServer,
  { store, operatorTokenFile, tlsCert, tlsClientCa }: ServeFlags,
  base: string,
  federation: string,
): Promise<{ readonly join: readonly Word[]; readonly invite: readonly Word[] }> {
  const url = federation === 'default' ? base : `${base}/${federation}`;
  const { secure } = server.federation(federation).record.options;
  const trust = await trustWords(tlsCert);
  const mutual = tlsClientCa !== undefined;
  return {
    join: [
      ...joinWords(url, 'me'),
      ...(secure ? ['--secure'] : []),
      ...(server.enrolment === 'open' ? [] : INVITED),
      ...trust,
      ...(mutual ? OWN_CERTIFICATE : []),
    ],
    invite: [
      ...['invite', url],
      ...(operatorTokenFile === undefined ? ['--store', store] : ['--token-file', operatorTokenFile]),
      ...trust,
      ...(mutual ? OWN_CERTIFICATE : []),
      TO_INVITATION_FILE,
    ],
  };
}
