/** What is counted at a gateway and at an owner of shards, for Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { collect } from '../server/collected.ts';
import type { Front } from '../server/front.ts';
import type { Lobby } from './lobby.ts';

export function newRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Of the front: connections, and whom it has refused. */
export function addFrontMetrics(registry: Registry, { guard, turnedAway, refused }: Front): void {
  collect(registry, Gauge, 'connections', 'Open connections', [], (set) => set(guard.connections));
  collect(registry, Gauge, 'strangers', 'Connections not authenticated yet', [], (set) =>
    set(guard.strangerCount),
  );
  collect(
    registry,
    Counter,
    'turned_away_total',
    'Connections refused because of a limit',
    ['reason'],
    (add) => {
      for (const [reason, n] of turnedAway) add(n, { reason });
    },
  );
  collect(registry, Counter, 'refusals_total', 'Refused requests', ['code'], (add) => {
    for (const [code, n] of refused) add(n, { code });
  });
}

/** Of all namespaces together. */
export function addLobbyMetrics(registry: Registry, lobbies: readonly Lobby[]): void {
  collect(registry, Gauge, 'connected', 'Connected participants', [], (add) => {
    for (const { size } of lobbies) add(size);
  });
  const counts = (
    name: string,
    help: string,
    label: string,
    of: (lobby: Lobby) => Iterable<readonly [string, number]>,
  ) =>
    collect(registry, Counter, `${name}_total`, help, [label], (add) => {
      for (const lobby of lobbies) for (const [key, n] of of(lobby)) add(n, { [label]: key });
    });
  counts('frames_received', 'Received frames by kind', 'kind', ({ received }) => received);
  counts('frames_sent', 'Sent frames by kind', 'kind', ({ sent }) => sent);
  counts('bytes', 'Bytes of frames by direction', 'direction', ({ bytes }) => Object.entries(bytes));
  counts('rejections', 'Refused messages by code', 'code', ({ rejected }) => rejected);
  collect(registry, Counter, 'frames_late_total', 'Frames for connections that are gone', [], (add) => {
    for (const { late } of lobbies) add(late);
  });
}
