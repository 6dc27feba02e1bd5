/** Files of certificates, as `join`, `invite` and `revoke` take them. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import type { TlsOptions } from '../node/admin/post-json.ts';
import { readText } from '../node/files/files.ts';

export interface TlsFlags {
  readonly ca?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

/** One name for one thing: `serve` shows a certificate with the same options. */
export function addTlsOptions(command: Command): Command {
  return command
    .option('--ca <file>', 'trusted certificates, PEM')
    .option('--tls-cert <file>', 'client certificate, PEM')
    .option('--tls-key <file>', 'private key of the client certificate, PEM');
}

/** The texts of these files; undefined where none is given. */
export async function readTls({ ca, tlsCert: cert, tlsKey: key }: TlsFlags): Promise<TlsOptions | undefined> {
  if ((cert === undefined) !== (key === undefined))
    throw inputError(
      'BAD_OPTION',
      'option --tls-cert: expected --tls-cert and --tls-key together, got one of them',
    );
  if (ca === undefined && cert === undefined) return undefined;
  const text = async (path: string | undefined) => (path === undefined ? undefined : await readText(path));
  return { ca: await text(ca), cert: await text(cert), key: await text(key) };
}
