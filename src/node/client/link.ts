/** Messages instead of bytes, over a connection that comes back: the participant's end of the protocol. */

import { decodeFrom } from '../../protocol/codec.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import type { ToParticipant } from '../../protocol/messages.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { Connection } from './connection.ts';
import { parseEndpoint } from './endpoint.ts';
import type { JoinOptions, JoinTiming } from './join-options.ts';
import type { FederationName } from './participant-file.ts';
import type { StateFolder } from './state-folder.ts';

/** Frames in a row that are not of this protocol, before another connection is tried. */
const MOST_BAD_FRAMES = 20;

export interface LinkEvents {
  connected(federation: FederationName): void;
  message(message: ToParticipant): void;
  /** Ignored: it was none of a coordinator. */
  badFrame(why: string): void;
  lost(why: string, retryMs: number): void;
  ended(error: Error): void;
}

export class Link {
  private readonly connection: Connection;
  private readonly events: LinkEvents;
  private badFrames = 0;

  constructor(options: JoinOptions, timing: JoinTiming, folder: StateFolder, events: LinkEvents) {
    this.events = events;
    const { retryFromMs: fromMs, retryMostMs: mostMs, pingMs, silenceMs } = timing;
    const { url, invitation, stateFolder, tls = {} } = options;
    const { identity } = folder;
    this.connection = new Connection(
      {
        endpoint: parseEndpoint(url),
        applicant: () => {
          const { participant, schema, features, federation } = folder.file;
          return { participant, identity, schema, features, invitation, federation, stateFolder };
        },
        tls,
        heartbeat: { pingMs, silenceMs },
        retry: { fromMs, mostMs },
      },
      {
        // From here on the folder belongs to this federation: before anything is said.
        admitted: (federation) => {
          if (!folder.file.federation) folder.update({ federation });
        },
        connected: () => {
          this.badFrames = 0;
          events.connected(folder.file.federation!);
        },
        frame: (bytes) => this.hear(bytes),
        lost: (why, retryMs) => events.lost(why, retryMs),
        ended: (error) => events.ended(error),
      },
    );
  }

  /** False: it was dropped. */
  send(frame: Uint8Array): boolean {
    return this.connection.send(frame);
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private hear(bytes: Uint8Array): void {
    let message: ToParticipant;
    try {
      message = decodeFrom('coordinator', bytes, DEFAULT_LIMITS);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.bad(error.message);
      return;
    }
    this.badFrames = 0;
    this.events.message(message);
  }

  private bad(why: string): void {
    this.events.badFrame(why);
    this.badFrames++;
    if (this.badFrames >= MOST_BAD_FRAMES)
      this.connection.reconnect(`${MOST_BAD_FRAMES} bad frames in a row`);
  }
}
