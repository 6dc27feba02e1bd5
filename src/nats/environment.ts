/** How NATS is reached: addresses from the user, secrets from the environment, where no list of processes shows them. */
import { readFile } from 'node:fs/promises';
import { inputError } from '../base/errors.ts';
import type { NatsOptions } from './connection.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Several addresses of one cluster are separated by commas. */
export async function natsFromEnvironment(
  env: Environment,
  servers: string | readonly string[],
  name: string,
): Promise<NatsOptions> {
  const credentials = await textOf(env.KINDRED_NATS_CREDS);
  if (credentials !== undefined && !credentials.includes('BEGIN NATS USER JWT'))
    throw inputError(
      'BAD_OPTION',
      `${env.KINDRED_NATS_CREDS}: expected credentials of NATS (a .creds file), got another file`,
    );
  return {
    servers: typeof servers === 'string' ? servers.split(',').map((server) => server.trim()) : servers,
    name,
    credentials,
    user: env.KINDRED_NATS_USER,
    password: env.KINDRED_NATS_PASSWORD,
    token: env.KINDRED_NATS_TOKEN,
    ca: await textOf(env.KINDRED_NATS_CA),
  };
}

async function textOf(path: string | undefined): Promise<string | undefined> {
  if (!path) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw inputError('FILE_NOT_FOUND', `${path}: expected a file, got ${(error as Error).message}`);
  }
}
