/**
 * The branches below a coordinator, as it reaches them: over NATS, whoever owns them at present. An owner with a higher epoch takes the place
 * of one with a lower; a branch that nobody is heard of from is away.
 */
import { decodeFrom } from '../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { ToCoordinator } from '../protocol/messages.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import type { Bus } from './bus.ts';
import { type Branch, decodeBranch, encodeStem } from './envelope.ts';
import type { Subjects } from './subjects.ts';

const KINDS = new Set(['enlist', 'moments', 'partial', 'leave']);

export interface BranchLinksPorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** Its id. */
  readonly federation: string;
  /** Where branches send to. */
  readonly inbox: string;
  readonly now: () => number;
  /** A branch that is not heard of for so long is away. */
  readonly silentMs: number;
  /** Undefined: there is none of this number here. */
  nameOf(node: number): string | undefined;
  onMessage(name: string, message: ToCoordinator, bytes: number): void;
  onSent(bytes: number): void;
  onAttached(name: string, link: BranchLink): void;
  isMember(name: string): boolean;
  /** It is alive, with participants behind it, and has not sent a message yet or is no member. */
  onUnheard(name: string): void;
  onAway(name: string): void;
}

export class BranchLinks {
  private readonly ports: BranchLinksPorts;
  private readonly links = new Map<string, BranchLink>();
  private checking: NodeJS.Timeout | undefined;
  private unsubscribe = () => {};

  constructor(ports: BranchLinksPorts) {
    this.ports = ports;
  }

  start(): void {
    const { bus, inbox, now, silentMs } = this.ports;
    this.unsubscribe = bus.subscribe(inbox, (bytes) => this.receive(decodeBranch(bytes)));
    this.checking = setInterval(() => this.check(now()), silentMs / 3).unref();
  }

  stop(): void {
    clearInterval(this.checking);
    this.unsubscribe();
  }

  check(now: number): void {
    for (const [name, link] of this.links) {
      if (now - link.receivedMs <= this.ports.silentMs) continue;
      this.links.delete(name);
      this.ports.onAway(name);
    }
  }

  /** Those that are heard of. */
  get alive(): ReadonlyMap<string, BranchLink> {
    return this.links;
  }

  private receive(branch: Branch): void {
    const { shard: node, epoch } = branch;
    const name = this.ports.nameOf(node);
    if (name === undefined) throw new ProtocolError('BAD_FRAME', `envelope: no branch ${node}`);
    const known = this.links.get(name);
    // Of a process that was the owner before.
    if (known && epoch < known.epoch) return;
    const link = known?.epoch === epoch ? known : this.attach(name, node, epoch);
    link.receivedMs = this.ports.now();
    if (branch.type === 'alive') {
      link.connected = branch.connected;
      link.members = branch.members;
      // One that does not know that we have begun, or that it is no member any more, says nothing by itself.
      if (link.members > 0 && !(link.isHeard && this.ports.isMember(name))) this.ports.onUnheard(name);
      return;
    }
    link.isHeard = true;
    const message = decodeFrom('participant', branch.frame, DEFAULT_LIMITS);
    if (!KINDS.has(message.kind)) throw new ProtocolError('BAD_FRAME', `${message.kind}: not of a branch`);
    this.ports.onMessage(name, message, branch.frame.length);
  }

  private attach(name: string, node: number, epoch: number): BranchLink {
    const { bus, subjects, federation, now, onSent, onAttached } = this.ports;
    const link = new BranchLink(epoch, now(), (frame) => {
      onSent(frame.length);
      bus.publish(subjects.shard(federation, node), encodeStem({ epoch, frame }));
    });
    this.links.set(name, link);
    onAttached(name, link);
    return link;
  }
}

export class BranchLink {
  readonly epoch: number;
  receivedMs: number;
  connected = 0;
  members = 0;
  isHeard = false;
  readonly isDrained = true;
  readonly send: (frame: Uint8Array) => void;

  constructor(epoch: number, receivedMs: number, send: (frame: Uint8Array) => void) {
    this.epoch = epoch;
    this.receivedMs = receivedMs;
    this.send = send;
  }

  /** An owner finds out by itself. */
  close(): void {}

  /** `BranchLinks` checks. */
  check(): void {}
}
