/** Options of commands that an operator sends to a running server. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { checkToken, readToken, tokenFileOf } from '../node/admin/operator-token.ts';
import type { ServerAccess } from '../node/admin/server-client.ts';
import { readText } from '../node/files/files.ts';
import type { Io } from './io.ts';

export interface OperatorFlags {
  readonly federation?: string;
  readonly tokenFile?: string;
  readonly store: string;
  readonly ca?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

export const URL_ARGUMENT =
  'of the server: http://127.0.0.1:7070, with the federation as its path if you like';

export function addOperatorOptions(command: Command): Command {
  return command
    .option('--federation <name>', 'default: default, or as in the address')
    .option('--token-file <file>', 'with the operator token (default: <store>.token)')
    .option('--store <file>', 'of the server, to find its token by', 'kindred.db')
    .option('--ca <file>', 'certificates to trust, PEM')
    .option('--tls-cert <file>', 'certificate to show the server, PEM')
    .option('--tls-key <file>', 'its key, PEM');
}

export async function operatorAccess(io: Io, flags: OperatorFlags): Promise<ServerAccess> {
  const { ca, tlsCert, tlsKey } = flags;
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw inputError(
      'BAD_OPTION',
      'option --tls-cert: expected --tls-cert and --tls-key together, got one of them',
    );
  const text = async (path: string | undefined) => (path === undefined ? undefined : await readText(path));
  const tls = { ca: await text(ca), cert: await text(tlsCert), key: await text(tlsKey) };
  return { token: operatorToken(io, flags), tls };
}

function operatorToken(io: Io, { tokenFile, store }: OperatorFlags): string {
  const file = tokenFile ?? tokenFileOf(store);
  const given = io.env.KINDRED_OPERATOR_TOKEN;
  if (given && tokenFile === undefined) return checkToken(given, 'KINDRED_OPERATOR_TOKEN');
  const token = readToken(file);
  if (token !== undefined) return token;
  throw inputError(
    'NO_TOKEN',
    `${file}: expected the operator token of the server, got no such file; give --token-file or --store`,
  );
}
