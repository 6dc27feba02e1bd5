/**
 * What a user of deploy/nats may try: everything that would read, write or replace what roots commit, or put something in its place, and what
 * its own work needs.
 */
import type { NatsConnection } from '@nats-io/transport-node';

export const COMMITS = 'kindred';
export const STREAM = `KV_${COMMITS}`;
const RECORD = `$KV.${COMMITS}.record`;
export const LEASES = 'kindred-default-leases';
export const SHARD = 'kindred-default-f3d1-0';
const MS = 700;

/** A request to JetStream that is answered without an error has been carried out. */
type Attempt = (user: NatsConnection) => Promise<unknown>;

const api =
  (order: string, body: unknown = {}): Attempt =>
  async (user) => {
    const answer = await user.request(`$JS.API.${order}`, JSON.stringify(body), { timeout: MS });
    const { error } = answer.json<{ error?: { description: string } }>();
    if (error) throw new Error(error.description);
  };

const write =
  (subject: string): Attempt =>
  async (user) => {
    const { error } = (await user.request(subject, 'forged', { timeout: MS })).json<{ error?: unknown }>();
    if (error) throw new Error('refused');
  };

const listen =
  (subject: string): Attempt =>
  async (user) => {
    const heard = user.subscribe(subject, { timeout: MS });
    await user.flush();
    // A subscription that is permitted ends by its time-out, one that is not by an error of permissions.
    await (async () => {
      for await (const _message of heard) return;
    })().catch((error: Error) => {
      if (/[Pp]ermission/.test(error.message)) throw error;
    });
  };

const make = (name: string, changes: object): Attempt => api(`STREAM.CREATE.${name}`, { name, ...changes });
const republish = { republish: { src: '>', dest: RECORD } };
const consumer = (name: string, deliver: object = {}) => ({
  stream_name: name,
  config: { durable_name: 'mine', ack_policy: 'none', ...deliver },
});

/** Nobody but a root may do any of these. */
export const FORBIDDEN: Readonly<Record<string, Attempt>> = {
  'write a commit': write(RECORD),
  'write the lease of commits': write(`$KV.${COMMITS}-leases.writer`),
  'take the lead': write(`$KV.${LEASES}.root`),
  'read a commit': api(`STREAM.MSG.GET.${STREAM}`, { last_by_subj: RECORD }),
  'read a commit by direct get': api(`DIRECT.GET.${STREAM}`, { last_by_subj: RECORD }),
  'read a commit by direct get of its subject': api(`DIRECT.GET.${STREAM}.${RECORD}`),
  'list commits': api(`STREAM.INFO.${STREAM}`, { subjects_filter: '>' }),
  'delete a commit': api(`STREAM.MSG.DELETE.${STREAM}`, { seq: 1 }),
  'purge the commits': api(`STREAM.PURGE.${STREAM}`),
  'purge the leases': api(`STREAM.PURGE.KV_${LEASES}`),
  'delete the bucket of commits': api(`STREAM.DELETE.${STREAM}`),
  'change the bucket of commits': api(`STREAM.UPDATE.${STREAM}`, { name: STREAM, subjects: ['other'] }),
  'take a snapshot of the commits': api(`STREAM.SNAPSHOT.${STREAM}`, { deliver_subject: '_INBOX.x' }),
  'restore other commits': api(`STREAM.RESTORE.${STREAM}`, { config: { name: STREAM } }),
  'move the leader of the commits': api(`STREAM.LEADER.STEPDOWN.${STREAM}`),
  'have a consumer of the commits': api(`CONSUMER.CREATE.${STREAM}`, consumer(STREAM)),
  'have a durable consumer of the commits': api(`CONSUMER.DURABLE.CREATE.${STREAM}.mine`, consumer(STREAM)),
  'have a consumer that delivers into the commits': api(
    `CONSUMER.DURABLE.CREATE.KV_${SHARD}.mine`,
    consumer(`KV_${SHARD}`, { deliver_subject: RECORD }),
  ),
  'make a stream': make('plain', { subjects: ['plain.>'] }),
  'make a stream that republishes into the commits': make('again', { subjects: ['again.>'], ...republish }),
  'make a stream that mirrors the commits': make('mirror', { mirror: { name: STREAM } }),
  'make a stream with the commits as source': make('copy', { sources: [{ name: STREAM }] }),
  'have the bucket of a shard republish into the commits': api(`STREAM.UPDATE.KV_${SHARD}`, {
    ...{ name: `KV_${SHARD}`, subjects: [`$KV.${SHARD}.>`], num_replicas: 3 },
    ...republish,
  }),
  'delete the bucket of a shard': api(`STREAM.DELETE.KV_${SHARD}`),
  'read what a root is answered': listen('_INBOX.root.>'),
  'read all replies': listen('_INBOX.>'),
  'read all writes of buckets': listen('$KV.>'),
  'read everything': listen('>'),
  'read what other namespaces say': listen('kindred.other.>'),
  'answer as the root': listen('kindred.default.admission'),
  'hear what is for a gateway with another user': listen('kindred.default.*.down.gateway-2.g1'),
  'hear what is for all gateways': listen('kindred.default.*.down.>'),
  'write to the root of another namespace': write('kindred.other.f3d1.root'),
};

/** These work for the user itself, and have to: otherwise the attempts above prove nothing. */
type Attempts = Readonly<Record<string, Attempt>>;
const ofGateways = (user: string): Attempts => ({
  'hear what is for gateways of its user': listen(`kindred.default.*.down.${user}.g1`),
  'publish frames': async (user) => user.publish('kindred.default.f3d1.up.0', 'frame'),
});
const OF_AGGREGATORS: Attempts = {
  'write the state of a shard': write(`$KV.${SHARD}.record`),
  'read the state of a shard': api(`STREAM.MSG.GET.KV_${SHARD}`, { last_by_subj: `$KV.${SHARD}.record` }),
  'clean the state of a shard': api(`STREAM.PURGE.KV_${SHARD}`, { filter: `$KV.${SHARD}.value.1` }),
  'write leases of shards': write(`$KV.${LEASES}.f3d1`),
  'read leases': api(`STREAM.MSG.GET.KV_${LEASES}`, { last_by_subj: `$KV.${LEASES}.root` }),
  'hear the root': listen('kindred.default.*.shard.0'),
};
export const ALLOWED: Readonly<Record<string, Attempts>> = {
  gateway: ofGateways('gateway'),
  aggregate: OF_AGGREGATORS,
  'aggregate-gateway': { ...ofGateways('aggregate-gateway'), ...OF_AGGREGATORS },
  work: {
    'make streams of its own account': api('STREAM.CREATE.jobs', { name: 'jobs', subjects: ['jobs'] }),
  },
};

/** Of an account of its own: it may do there what it wants, and nothing of the federations is there. */
export const ELSEWHERE = new Set([
  'make a stream',
  'make a stream that republishes into the commits',
  'make a stream that mirrors the commits',
  'make a stream with the commits as source',
  'read what a root is answered',
  'read all replies',
  'read all writes of buckets',
  'read everything',
  'read what other namespaces say',
  'answer as the root',
  'hear what is for a gateway with another user',
  'hear what is for all gateways',
  'restore other commits',
]);

const VIA = ['kindred.default.beacon.gateway.gateway.x', 'kindred.default.f3d1.up.0', '_INBOX.aggregate.x'];
const TARGETS = [RECORD, `$JS.API.STREAM.PURGE.${STREAM}`, `$JS.API.STREAM.DELETE.${STREAM}`];

/** Sends itself messages whose reply subjects are those that it wants to publish to, and answers them. */
export async function answerItself(user: NatsConnection): Promise<void> {
  for (const via of VIA)
    for (const reply of TARGETS) {
      const mine = user.subscribe(via, { max: 1, timeout: MS });
      user.publish(via, 'to myself', { reply });
      try {
        for await (const message of mine) message.respond('forged');
        await user.flush();
      } catch {
        // Not permitted, or nothing came.
      }
    }
}
