/** The invitation that `kindred join` shows the server. Never an argument: everybody on a machine can read those of a process. */
import { inputError } from '../base/errors.ts';
import { readText } from '../node/files/files.ts';
import type { Io } from './io.ts';

interface InvitationFlags {
  readonly data?: string;
  readonly invitationFile?: string;
}

/** From a file, standard input (-) or the environment; undefined where none is given. */
export async function invitationFrom(
  io: Io,
  { data, invitationFile: file }: InvitationFlags,
): Promise<string | undefined> {
  if (file === undefined) return io.env.KINDRED_INVITATION?.trim() || undefined;
  if (file === '-' && data === '-')
    throw inputError('BAD_OPTION', 'option --invitation-file: expected a file, as --data is read from stdin');
  const text = file === '-' ? new TextDecoder().decode(await io.stdin()) : await readText(file);
  const tokens = text.split(/\s+/).filter((word) => word !== '');
  if (tokens.length === 1) return tokens[0];
  const source = file === '-' ? 'stdin' : file;
  throw inputError(
    'BAD_INVITATION',
    `${source}: expected one invitation, as kindred invite prints it, got ${tokens.length}`,
  );
}
