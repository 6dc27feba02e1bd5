/** What is counted of a connection to NATS, for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Bus } from '../../nats/bus.ts';
import type { RootVersion } from '../../nats/nodes-version.ts';
import { collect } from './collected.ts';

/** Of any role. */
export function addBusMetrics(registry: Registry, bus: Bus): void {
  const { counts } = bus;
  collect(registry, Gauge, 'nats_up', '1 while connected to NATS', [], (set) => set(Number(bus.isUp)));
  collect(registry, Counter, 'nats_messages_total', 'Messages of NATS by direction', ['direction'], (add) => {
    add(counts.sent.messages, { direction: 'out' });
    add(counts.received.messages, { direction: 'in' });
  });
  collect(
    registry,
    Counter,
    'nats_bytes_total',
    'Bytes of messages of NATS by direction',
    ['direction'],
    (add) => {
      add(counts.sent.bytes, { direction: 'out' });
      add(counts.received.bytes, { direction: 'in' });
    },
  );
  const single = (name: string, help: string, value: () => number) =>
    collect(registry, Counter, name, help, [], (add) => add(value()));
  single('nats_dropped_total', 'Messages not sent: no connection, or too large', () => counts.dropped);
  single('nats_bad_total', 'Messages received and not understood', () => counts.bad);
}

/** Of gateways and owners: one for each namespace. */
export function addVersionMetrics(registry: Registry, versions: readonly RootVersion[]): void {
  collect(
    registry,
    Gauge,
    'nodes_waiting',
    'Roots that speak another version of the messages between nodes: this process waits',
    [],
    (set) => set(versions.filter(({ whyWaiting }) => whyWaiting !== undefined).length),
  );
}
