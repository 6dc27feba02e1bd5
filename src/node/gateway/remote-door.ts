/** The door of a gateway to one namespace: every step is taken by its leading root, so that any gateway can do any step. */
import type { AdmissionAnswer, AdmissionStep, Grant } from '../../nats/admission.ts';
import { fromJson, toJson } from '../../nats/admission.ts';
import type { Bus } from '../../nats/bus.ts';
import type { RootVersion } from '../../nats/nodes-version.ts';
import { ApiError, ERRORS, type ErrorCode } from '../server/api-error.ts';
import type { Announcement, Challenge, Door, Entrance } from '../server/door.ts';
import type { HostNames } from '../server/host-names.ts';
import { checkOrigin, type Peer, type SessionRequest } from '../server/join-proof.ts';
import type { Lobby } from './lobby.ts';

/** A root that has just taken over answers within a lease; participants try again by themselves. */
const ANSWER_MS = 5000;

interface RemoteDoorOptions {
  readonly bus: Bus;
  readonly hosts: HostNames;
  readonly lobby: Lobby;
  readonly version: RootVersion;
}

export class RemoteDoor implements Door {
  private readonly options: RemoteDoorOptions;

  constructor(options: RemoteDoorOptions) {
    this.options = options;
  }

  announcement(federation: string): Promise<Announcement> {
    return this.ask({ step: 'announcement', federation });
  }

  challenge(federation: string, protocol?: number | undefined): Promise<Challenge> {
    return this.ask({ step: 'challenge', federation, protocol });
  }

  /** Which names are ours only we know; the root checks all the rest. */
  async session(
    federation: string,
    request: SessionRequest,
    peer: Peer,
  ): Promise<{ readonly ticket: string }> {
    checkOrigin(this.options.hosts, request.server, peer.localAddress);
    return await this.ask({ step: 'session', federation, request, address: peer.remoteAddress ?? '' });
  }

  async enter(federation: string, ticket: string, use: (entrance: Entrance) => void): Promise<boolean> {
    const grant = await this.ask<Grant | null>({ step: 'redeem', federation, ticket });
    if (!grant) return false;
    const { participant } = grant;
    use({ federation, participant, connect: (socket) => this.options.lobby.connect(socket, grant) });
    return true;
  }

  private async ask<T>(step: AdmissionStep): Promise<T> {
    const { bus, lobby, version } = this.options;
    if (version.whyWaiting !== undefined) throw new ApiError('NO_ROOT', version.whyWaiting);
    const bytes = await bus
      .request(lobby.subjects.admission, toJson(step), ANSWER_MS)
      .catch((error: Error) => {
        throw new ApiError('NO_ROOT', `no coordinator answers (${error.message}); try again`);
      });
    const answer = fromJson<AdmissionAnswer>(bytes);
    if (answer && 'ok' in answer) return answer.ok as T;
    const { code = '', message = 'no answer that can be read' } = answer?.error ?? {};
    throw new ApiError(code in ERRORS ? (code as ErrorCode) : 'NO_ROOT', message);
  }
}
