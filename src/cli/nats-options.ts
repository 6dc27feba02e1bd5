/** How commands reach NATS: the address as an option, secrets in the environment, where no list of processes shows them. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import type { NatsOptions } from '../nats/connection.ts';
import { readText } from '../node/files/files.ts';
import type { Io } from './io.ts';

export interface NatsFlags {
  readonly nats?: string;
}

export const NATS_HELP = `
Environment:
  KINDRED_NATS_CREDS     file with credentials of NATS (.creds)
  KINDRED_NATS_USER      user, with KINDRED_NATS_PASSWORD
  KINDRED_NATS_TOKEN     token
  KINDRED_NATS_CA        file of trusted certificates, PEM: the connection must be TLS`;

export function addNatsOption(command: Command, about: string): Command {
  return command.option('--nats <url>', about);
}

/** Several addresses of one cluster are separated by commas. */
export async function natsOptions({ env }: Io, nats: string, name: string): Promise<NatsOptions> {
  const text = async (path: string | undefined) => (path ? await readText(path) : undefined);
  const credentials = await text(env.KINDRED_NATS_CREDS);
  if (credentials !== undefined && !credentials.includes('BEGIN NATS USER JWT'))
    throw inputError(
      'BAD_OPTION',
      `${env.KINDRED_NATS_CREDS}: expected credentials of NATS (a .creds file), got another file`,
    );
  return {
    servers: nats.split(',').map((server) => server.trim()),
    name,
    credentials,
    user: env.KINDRED_NATS_USER,
    password: env.KINDRED_NATS_PASSWORD,
    token: env.KINDRED_NATS_TOKEN,
    ca: await text(env.KINDRED_NATS_CA),
  };
}
