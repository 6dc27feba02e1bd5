/** How commands reach NATS: the address as an option, secrets in the environment, where no list of processes shows them. */
import type { Command } from 'commander';
import type { NatsOptions } from '../nats/connection.ts';
import { natsFromEnvironment } from '../nats/environment.ts';
import { whole } from '../settings/kinds.ts';
import { durationValue, valued } from './flags.ts';
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

/** Of the queue of jobs. */
export function addReplicasOption(command: Command): Command {
  return command.addOption(
    valued(
      '--replicas <number>',
      'NATS servers of the cluster that keep the jobs and results (default: 1 if new, else unchanged)',
      whole(1, 5),
    ),
  );
}

export const ONE_NAMESPACE = 'one system of several on the same NATS (default: default)';
export const NAMESPACES =
  'systems on the same NATS, separated by commas: each has a root of its own (default: default)';

/** What all processes on one NATS must agree on, and how long one may be silent before another takes its place. */
export function addTakeoverOptions(command: Command, namespaces: string): Command {
  return command
    .option('--namespace <name>', namespaces)
    .option(
      '--takeover <time>',
      'another process takes over from one that has been silent for so long (default: 10s)',
      durationValue('--takeover'),
    );
}

/** Several addresses of one cluster are separated by commas. */
export function natsOptions({ env }: Io, nats: string, name: string): Promise<NatsOptions> {
  return natsFromEnvironment(env, nats, name);
}
