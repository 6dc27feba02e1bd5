/** The address of a store in JetStream: nats://host:4222,other:4222/<name>?replicas=3 */
import { inputError } from '../base/errors.ts';
import { labelOf } from './connection.ts';

export interface JetStreamAddress {
  readonly servers: readonly string[];
  /** Of the bucket. */
  readonly bucket: string;
  readonly replicas: number | undefined;
  /** For messages: without user and password. */
  readonly name: string;
}

const FORM = /^(nats|tls):\/\/([^/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i;
const BUCKET = /^[\w-]{1,100}$/;
const DEFAULT_BUCKET = 'kindred';
const REPLICAS = /^[1-5]$/;

export function jetStreamAddress(address: string): JetStreamAddress {
  const [, scheme = '', hosts = '', path = '', query = ''] = FORM.exec(address) ?? refuse('another form');
  const bucket = path === '' ? DEFAULT_BUCKET : path;
  if (!BUCKET.test(bucket)) refuse(`the name "${bucket}" (letters, digits, - and _ are possible)`);
  const settings = new URLSearchParams(query);
  for (const key of settings.keys()) if (key !== 'replicas') refuse(`?${key}=`);
  const replicas = settings.get('replicas') ?? undefined;
  if (replicas !== undefined && !REPLICAS.test(replicas))
    refuse(`replicas=${replicas} (1 to 5 are possible)`);
  const servers = hosts.split(',').map((host) => `${scheme.toLowerCase()}://${host}`);
  return {
    ...{ servers, bucket, replicas: replicas === undefined ? undefined : Number(replicas) },
    name: `${labelOf(servers)}/${bucket}`,
  };
}

function refuse(got: string): never {
  throw inputError(
    'BAD_URL',
    `address of a store in JetStream: expected nats://host:4222/name?replicas=3, got ${got}`,
  );
}
