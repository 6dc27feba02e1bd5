/** What a coordinator on NATS runs federations with: shards in place of participants. */
import { inputError } from '../../base/errors.ts';
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import type { FederationRecord } from '../../host/ports.ts';
import type { Bus } from '../../nats/bus.ts';
import type { Subjects } from '../../nats/subjects.ts';
import { DEFAULT_POLICY } from '../../settings/policy.ts';
import { systemClock } from '../clock.ts';
import type { Federation, Groups } from '../server/federation.ts';
import { ShardLinks } from './shard-links.ts';

export interface TreeOptions {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** Of a new federation. */
  readonly shards: number;
  /** How many each may have below; undefined: all shards are below the root. */
  readonly fanIn?: number | undefined;
  /** A shard that is not heard of for so long is away. */
  readonly silentMs: number;
  /** Version of the messages between nodes; default: `NODES_VERSION`. Another one for tests. */
  readonly nodes?: number | undefined;
  /** What the shards of federations store. Not by the type of the class: users of the library would have to compile those of NATS. */
  readonly buckets: {
    make(record: FederationRecord): Promise<void>;
    remove(record: FederationRecord): Promise<void>;
  };
}

/** Participants that a secure sum has at least, by the policy that they have if nobody says otherwise. */
const LEAST_COHORT = DEFAULT_POLICY.minPeers;

/** Refuses what does not work across shards. */
export function checkTree(options: CoordinatorOptions, shards: number): void {
  const { aggregation, method, dp, columns, defence, secure, minParticipants } = options;
  const wrong =
    method === 'mocha'
      ? 'method mocha'
      : aggregation !== 'answers'
        ? `aggregation ${aggregation}`
        : dp
          ? 'differential privacy (dp)'
          : columns === 'union'
            ? 'columns union'
            : defence
              ? 'defence'
              : undefined;
  if (wrong !== undefined)
    throw inputError('BAD_OPTION', `options: expected what works across shards (serve --nats), got ${wrong}`);
  const least = LEAST_COHORT * shards;
  if (secure && minParticipants < least)
    throw inputError(
      'BAD_OPTION',
      `options: expected --min-participants of at least ${least} for secure aggregation on ${shards} shards, which sum ${LEAST_COHORT} participants or more each, got ${minParticipants}; or fewer --shards`,
    );
}

/** How the groups of a federation are reached; undefined: it has participants. */
export function groupsOn(
  tree: TreeOptions | undefined,
  { name, shards }: FederationRecord,
): ((federation: Federation) => Groups) | undefined {
  if (!tree && shards === undefined) return undefined;
  if (!tree)
    throw inputError(
      'BAD_OPTION',
      `federation "${name}" is spread over ${shards} shards: expected serve --nats`,
    );
  if (shards === undefined)
    throw inputError(
      'BAD_OPTION',
      `federation "${name}" is not spread over shards: expected serve without --nats`,
    );
  const { bus, subjects, silentMs, buckets } = tree;
  const makeBuckets = (record: FederationRecord) => buckets.make(record);
  const ports = { bus, subjects, silentMs, now: systemClock.now, makeBuckets };
  return (federation) => new ShardLinks(federation, ports);
}
