/** Files of certificates, as `join`, `invite` and `revoke` take them. */
import { inputError } from '../base/errors.ts';
import type { TlsOptions } from '../node/admin/post-json.ts';
import { readText } from '../node/files/files.ts';

/** The texts of these files; undefined where none is given. `prefix`: how the options of certificate and key begin. */
export async function readTls(
  prefix: '--' | '--tls-',
  { ca, cert, key }: TlsOptions,
): Promise<TlsOptions | undefined> {
  const both = `${prefix}cert and ${prefix}key together`;
  if ((cert === undefined) !== (key === undefined))
    throw inputError('BAD_OPTION', `option ${prefix}cert: expected ${both}, got one of them`);
  if (ca === undefined && cert === undefined) return undefined;
  const text = async (path: string | undefined) => (path === undefined ? undefined : await readText(path));
  return { ca: await text(ca), cert: await text(cert), key: await text(key) };
}
