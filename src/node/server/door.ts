/**
 * How participants come in, step by step: what is announced, a challenge, a session, a connection. The coordinator has the door itself; a
 * gateway passes the steps on to it.
 */
import type { WebSocket } from 'ws';
import type { Eventually } from '../../base/ports.ts';
import { PROTOCOL_VERSION } from '../../protocol/messages.ts';
import type { Admission } from './admission.ts';
import { ApiError } from './api-error.ts';
import type { Federation } from './federation.ts';
import type { Peer, SessionRequest } from './join-proof.ts';

interface Named {
  readonly name: string;
  readonly id: string;
}

export interface Announcement {
  readonly federation: Named;
  readonly protocol: number;
  readonly enrolment: 'open' | 'invitation';
  readonly objective: 'classification' | 'regression';
  readonly columns: 'exact' | 'union';
  readonly secure: boolean;
  readonly dp: { readonly epsilon: number; readonly delta: number } | null;
}

export interface Challenge {
  readonly challenge: string;
  readonly federation: Named;
  readonly protocol: number;
}

/** A ticket was good: whose it is, and what to do with the connection. */
export interface Entrance {
  readonly federation: string;
  readonly participant: string;
  connect(socket: WebSocket): void;
}

/** Each names a federation, and refuses a name that is not there. */
export interface Door {
  announcement(federation: string): Eventually<Announcement>;
  /** `protocol`: the version of whoever asks, where it is another one than ours. */
  challenge(federation: string, protocol?: number | undefined): Eventually<Challenge>;
  session(federation: string, request: SessionRequest, peer: Peer): Promise<{ readonly ticket: string }>;
  /** `use` is called, at most once, while nobody can be revoked; false: the ticket is not good. */
  enter(federation: string, code: string, use: (entrance: Entrance) => void): Promise<boolean>;
}

interface DoorPorts {
  readonly admission: Admission;
  federation(name: string): Federation;
  onOtherVersion(version: number): void;
}

/** Of the process that runs the federations. */
export class OwnDoor implements Door {
  private readonly ports: DoorPorts;

  constructor(ports: DoorPorts) {
    this.ports = ports;
  }

  announcement(name: string): Announcement {
    const { admission, federation } = this.ports;
    const { record } = federation(name);
    const { objective, columns, secure, dp } = record.options;
    return {
      federation: { name: record.name, id: record.id },
      protocol: PROTOCOL_VERSION,
      enrolment: admission.enrolment,
      objective,
      columns,
      secure: secure !== undefined,
      dp: dp ? { epsilon: dp.epsilon, delta: dp.delta } : null,
    };
  }

  challenge(name: string, protocol?: number | undefined): Challenge {
    const { admission, federation, onOtherVersion } = this.ports;
    const { record } = federation(name);
    if (protocol !== undefined) onOtherVersion(protocol);
    return {
      challenge: admission.challenge(record),
      federation: { name: record.name, id: record.id },
      protocol: PROTOCOL_VERSION,
    };
  }

  async session(name: string, request: SessionRequest, peer: Peer): Promise<{ readonly ticket: string }> {
    const { admission, federation } = this.ports;
    const one = federation(name);
    return { ticket: await admission.admit(one.record, request, peer, () => one.isEmpty) };
  }

  enter(name: string, code: string, use: (entrance: Entrance) => void): Promise<boolean> {
    const { admission, federation } = this.ports;
    const one = federation(name);
    if (one.groups)
      return Promise.reject(
        new ApiError('REFUSED', `federation "${name}" is on NATS: connect to one of its gateways`),
      );
    return admission.redeem(one.name, code, (ticket) => {
      const { participant } = ticket;
      use({ federation: one.name, participant, connect: (socket) => one.connect(socket, ticket) });
    });
  }
}
