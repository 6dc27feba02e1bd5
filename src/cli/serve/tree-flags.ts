/** Options of a server on NATS. */
import { inputError } from '../../base/errors.ts';
import type { ServeFlags } from './server-options.ts';

export const DEFAULT_SHARDS = 8;
export const DEFAULT_NAMESPACE = 'default';
/** Of `serve --store`. */
const DEFAULT_FILE = 'kindred.db';

export function isOnNats(flags: ServeFlags): flags is ServeFlags & { readonly nats: string } {
  return flags.nats !== undefined;
}

export function checkTreeFlags({ nats, namespace, shards, fanIn, takeover, record }: ServeFlags): void {
  if (nats !== undefined && record !== undefined)
    throw inputError('BAD_OPTION', 'option --record: expected a server without --nats, got both');
  if (nats !== undefined) return;
  const without = { '--namespace': namespace, '--shards': shards, '--fan-in': fanIn, '--takeover': takeover };
  for (const [option, value] of Object.entries(without))
    if (value !== undefined)
      throw inputError('BAD_OPTION', `option ${option}: expected --nats with it, got none`);
}

/** The address of the store: in the same NATS, unless another one is given. */
export function treeStore({ nats = '', store, namespace = DEFAULT_NAMESPACE }: ServeFlags): string {
  if (/^(nats|tls):\/\//i.test(store)) return store;
  if (store !== DEFAULT_FILE)
    throw inputError('BAD_OPTION', `option --store: expected nats://host/name with --nats, got ${store}`);
  const address = nats.includes('://') ? nats : `nats://${nats}`;
  const servers = address.split(',').map((text) => text.trim());
  const [scheme] = servers[0].split('://', 1);
  const hosts = servers.map((text) => text.replace(/^[a-z]+:\/\//i, '').replace(/\/.*$/, ''));
  return `${scheme}://${hosts.join(',')}/kindred-${namespace}`;
}
