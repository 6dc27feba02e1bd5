/**
 * The door of a gateway for several namespaces, each with a root of its own: federations are spread over roots. Where one is, is found out by
 * asking, and remembered until the answer is that it is not there any more.
 */
import { ApiError } from '../server/api-error.ts';
import type { Announcement, Challenge, Door, Entrance } from '../server/door.ts';
import type { Peer, SessionRequest } from '../server/join-proof.ts';

export class SpreadDoor implements Door {
  private readonly doors: readonly Door[];
  private readonly known = new Map<string, Door>();

  /** At least one. A name that several roots have is that of the first one that answers, in this order. */
  constructor(doors: readonly Door[]) {
    this.doors = doors;
  }

  announcement(federation: string): Promise<Announcement> {
    return this.at(federation, (door) => door.announcement(federation));
  }

  challenge(federation: string, protocol?: number | undefined): Promise<Challenge> {
    return this.at(federation, (door) => door.challenge(federation, protocol));
  }

  session(federation: string, request: SessionRequest, peer: Peer): Promise<{ readonly ticket: string }> {
    return this.at(federation, (door) => door.session(federation, request, peer));
  }

  enter(federation: string, code: string, use: (entrance: Entrance) => void): Promise<boolean> {
    return this.at(federation, (door) => door.enter(federation, code, use));
  }

  private async at<T>(federation: string, step: (door: Door) => T | Promise<T>): Promise<T> {
    const known = this.known.get(federation);
    if (known) {
      try {
        return await step(known);
      } catch (error) {
        if (!isNotThere(error)) throw error;
        this.known.delete(federation);
      }
    }
    const door = await this.find(federation);
    this.known.set(federation, door);
    return await step(door);
  }

  /** Whoever answers that it has it; a root that does not answer keeps nobody from the federations of the others. */
  private async find(federation: string): Promise<Door> {
    const asked = await Promise.allSettled(this.doors.map(async (door) => door.announcement(federation)));
    const found = asked.findIndex(({ status }) => status === 'fulfilled');
    if (found >= 0) return this.doors[found];
    const why = asked.map((answer) => (answer as PromiseRejectedResult).reason as Error);
    // A root that is silent may have it: to be tried again.
    throw why.find((error) => !isNotThere(error)) ?? why[0];
  }
}

function isNotThere(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'NO_SUCH_FEDERATION';
}
