/**
 * A branch between the root and shards, run by whoever owns it at present: like a shard, but that its members are branches. It keeps no
 * more than their partial sums.
 */
import { FederationHost } from '../../host/federation-host.ts';
import { BranchLinks } from '../../nats/branch-links.ts';
import { nodeName, parentOf, shapeOf } from '../../nats/shape.ts';
import { Timer } from '../clock.ts';
import { entropyStream } from '../crypto.ts';
import { ParentLink } from './parent-link.ts';
import type { ShardOptions } from './shard-host.ts';
import type { ShardPorts } from './shard-ports.ts';

/** Beats of a branch that may be missed before it is away. */
const BEATS_MISSED = 5;

export class InnerHost {
  readonly host: FederationHost;
  /** Frames to branches, one for each. */
  readonly sent = { frames: 0, recipients: 0 };
  private readonly links: BranchLinks;
  private readonly parent: ParentLink;
  private readonly ports: ShardPorts;
  private readonly returning = new Timer();
  private beating: NodeJS.Timeout | undefined;
  private unsubscribe = () => {};

  constructor({ record, shard, epoch, store, saved }: ShardOptions, ports: ShardPorts) {
    const { bus, subjects, clock, primitives, log, beatMs } = ports;
    const shape = shapeOf(record);
    this.ports = ports;
    this.parent = new ParentLink({ record, shard, epoch }, ports);
    this.links = new BranchLinks({
      ...{ bus, subjects, federation: record.id, inbox: subjects.branch(record.id, shard) },
      ...{ now: clock.now, silentMs: BEATS_MISSED * beatMs },
      nameOf: (node) => (parentOf(node, shape) === shard ? nodeName(node, shape) : undefined),
      onMessage: (name, message) => this.host.receive(name, message),
      onSent: () => {
        this.sent.frames++;
        this.sent.recipients++;
      },
      onAttached: () => {},
      isMember: (name) => this.host.state.members.has(name),
      onUnheard: (name) => this.host.present(name),
      onAway: (name) => this.host.away(name),
    });
    this.host = new FederationHost(
      record,
      saved,
      {
        // The history of the federation is the root's.
        store: { saveRun: (name, changes) => store.saveRun(name, changes, []) },
        transport: { send: (to, frame) => this.links.alive.get(to)?.send(frame) },
        above: { send: (frame) => this.parent.send(frame, this.host) },
        ...{ clock, primitives, noiseOf: entropyStream },
        onStoreFailure: (error) => {
          if (error) log.warn({ err: error }, 'the store of the branch is failing; trying again');
        },
      },
      { below: 'groups', above: { name: nodeName(shard, shape), epoch } },
    );
  }

  get counts() {
    return this.parent.counts;
  }

  get connected(): number {
    return this.total('connected');
  }

  get participants(): number {
    return this.total('members');
  }

  start(): void {
    const { beatMs, returnMs } = this.ports;
    this.unsubscribe = this.parent.listen(this.host);
    this.links.start();
    this.host.start();
    this.beating = setInterval(() => this.beat(), beatMs).unref();
    this.beat();
    this.returning.set(returnMs, () => {
      for (const id of this.host.state.members.keys()) if (!this.links.alive.has(id)) this.host.away(id);
    });
  }

  /** At once: nothing more is sent. Resolves when nothing is being stored any more. */
  stop(): Promise<void> {
    clearInterval(this.beating);
    this.returning.clear();
    this.unsubscribe();
    this.links.stop();
    return this.host.stop();
  }

  private beat(): void {
    this.parent.beat({ connected: this.connected, members: this.participants });
  }

  private total(key: 'connected' | 'members'): number {
    return [...this.links.alive.values()].reduce((sum, link) => sum + link[key], 0);
  }
}
