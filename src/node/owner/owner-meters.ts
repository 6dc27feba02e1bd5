/** What is counted of the shards that are owned here, for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { collect } from '../server/collected.ts';
import type { BranchHost, Owner } from './owner.ts';

/** `owners`: one for each namespace. */
export function addOwnerMetrics(registry: Registry, owners: readonly Owner[]): void {
  const shards = () => owners.flatMap((owner) => [...owner.shards()]);
  collect(registry, Gauge, 'shards_owned', 'Shards owned by this process', ['federation'], (set) => {
    const counts = new Map<string, number>();
    for (const { federation } of shards()) counts.set(federation, (counts.get(federation) ?? 0) + 1);
    for (const [federation, n] of counts) set(n, { federation });
  });
  const each = (
    Kind: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    value: (shard: BranchHost) => number,
  ) =>
    collect(registry, Kind, name, help, ['federation', 'shard'], (put) => {
      for (const { federation, shard, host } of shards()) put(value(host), { federation, shard: `${shard}` });
    });
  each(Gauge, 'shard_participants', 'Participants of a shard', ({ participants }) => participants);
  each(Gauge, 'shard_connected', 'Connected participants of a shard', ({ connected }) => connected);
  each(Gauge, 'shard_round', 'Number of the open round of a shard', ({ host }) => host.state.round);
  each(
    Gauge,
    'shard_lag_seconds',
    'From the arrival of the last round to its partial sum',
    ({ counts }) => counts.lagMs / 1000,
  );
  each(Gauge, 'shard_store_trouble', '1 while the store of a shard is failing', ({ host }) =>
    Number(host.storeFailure !== undefined),
  );
  each(
    Counter,
    'partials_sent_total',
    'Partial sums sent, repeated ones included',
    ({ counts }) => counts.sent,
  );
  each(
    Counter,
    'partials_accepted_total',
    'Partial sums that the root has taken',
    ({ counts }) => counts.accepted,
  );
  each(Counter, 'partials_undone_total', 'Partial sums that were undone', ({ counts }) => counts.undone);
  each(
    Counter,
    'shard_frames_published_total',
    'Frames published for participants: once for each gateway',
    ({ sent }) => sent.frames,
  );
  each(Counter, 'shard_frames_delivered_total', 'Recipients of these frames', ({ sent }) => sent.recipients);
}
