/** What `kindred invite` says: tokens on stdout, for files; how to use them on stderr, for people. */
import { isLoopback } from '../node/server/addresses.ts';
import { commandLine } from './command-line.ts';
import { type Io, note } from './io.ts';
import { INVITED, joinWords, OWN_CERTIFICATE } from './join-command.ts';
import { joinLink } from './join-link.ts';
import { writeResult } from './layout.ts';
import { qrLines } from './qr-code.ts';

interface Invited {
  /** Of the server. */
  readonly base: string;
  readonly federation: string;
  readonly invitations: readonly { readonly token: string }[];
}

interface ReportFlags {
  readonly name?: string;
  readonly ca?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly qr: boolean;
  readonly json?: true;
}

export async function reportInvitations(io: Io, invited: Invited, flags: ReportFlags): Promise<void> {
  const { base, federation, invitations } = invited;
  const { name } = flags;
  const linked = invitations.map((one) => {
    return { ...one, link: joinLink(base, federation, { invitation: one.token, name }) };
  });
  const document = { federation, invitations: linked };
  await writeResult(io, flags, document, () => invitations.map(({ token }) => token));
  if (flags.json) return;
  await note(io, `${usesOf(invited, flags)}: ${joinCommand(io, invited, flags)}`);
  // A file that stderr goes to is no place for secrets.
  const hidden = linked.slice(0, 1).map(({ link, token }) => link.replace(token, '<invitation>'));
  const links = io.stderr.isTerminal ? linked.map(({ link }) => link) : hidden;
  const where = new URL(base).hostname.replace(/^\[|\]$/g, '');
  const limit = isLoopback(where) ? `, on this machine only (${where})` : '';
  for (const link of links) await note(io, `in a browser${limit}: ${link}`);
  // Nobody else could open it.
  if (!flags.qr || !io.stderr.isTerminal || linked.length > 1 || limit !== '') return;
  const isPlain = io.env.NO_COLOR || io.env.TERM === 'dumb';
  const lines = await qrLines(linked[0].link, isPlain ? 'none' : 'black and white');
  await io.stderr.write(`${lines.join('\n')}\n`);
}

function usesOf({ invitations }: Invited, { name }: ReportFlags): string {
  const who = name === undefined ? 'for one new participant' : `for "${name}"`;
  return invitations.length > 1 ? `each is good once, ${who}, in a file of its own` : `good once, ${who}`;
}

function joinCommand(io: Io, { base, federation }: Invited, flags: ReportFlags): string {
  const { name = 'me', ca, tlsCert, tlsKey } = flags;
  return commandLine(
    io.program,
    ...joinWords(federation === 'default' ? base : `${base}/${federation}`, name),
    ...INVITED,
    ...(ca === undefined ? [] : ['--ca', ca]),
    ...(tlsCert === undefined || tlsKey === undefined ? [] : OWN_CERTIFICATE),
  );
}
