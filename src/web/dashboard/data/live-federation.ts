/**
 * A federation as its events tell it. Events come as often as they like; whoever shows them renders once a frame. After a lost connection the stream goes
 * on behind the last round that is known, so nothing is fetched or counted twice.
 */
import type { FederationEvents, LiveParticipant, OpenRound } from '../../../node/server/live.ts';
import type { FederationState } from '../../../node/server/routes/federations.ts';
import { federationPath } from '../../shared/api.ts';
import { Cell } from '../../shared/cell.ts';
import { EventStream, type StreamStatus } from '../../shared/events.ts';
import { Frame } from '../../shared/frame.ts';
import type { ServerEvent } from '../../shared/sse-parser.ts';
import { History, pointOf } from './history.ts';
import { Traffic } from './traffic.ts';

export class LiveFederation {
  readonly name: string;
  readonly status = new Cell<StreamStatus>({ type: 'connecting' });
  readonly state = new Cell<FederationState | undefined>(undefined);
  readonly open = new Cell<OpenRound | undefined>(undefined);
  /** Changed in place: watch it, and read what is needed. */
  readonly participants = new Cell(new Map<string, LiveParticipant>());
  readonly history = new Cell(new History());
  readonly traffic = new Traffic();
  readonly isDeleted = new Cell(false);
  /** Whether the list of them has arrived: an empty one is known to be empty. */
  readonly hasParticipants = new Cell(false);
  /** How far the server's clock is ahead of the page's. */
  clockAheadMs = 0;
  private readonly stream: EventStream;
  private isFirstList = true;
  private id: string | undefined;
  /** To be shown in the next frame: new values, and what was changed in place. */
  private readonly next = new Map<Cell<unknown>, unknown>();
  private readonly dirty = new Set<Cell<unknown>>();
  private readonly frame = new Frame(() => this.show());

  constructor(name: string) {
    this.name = name;
    this.stream = new EventStream({
      path: () => federationPath(name, `/events?after=${this.history.value.last?.round ?? 0}`),
      onEvent: (event) => this.take(event),
      onStatus: (status) => {
        if (status.type === 'open') this.isFirstList = true;
        if (!this.isDeleted.value) this.status.set(status);
      },
    });
  }

  /** At once. */
  retry(): void {
    this.stream.retry();
  }

  close(): void {
    this.stream.close();
    this.frame.cancel();
  }

  /** The server's time of now, in milliseconds. */
  serverNow(): number {
    return Date.now() + this.clockAheadMs;
  }

  private take({ type, data }: ServerEvent): void {
    const event = { type, data: JSON.parse(data) } as {
      [E in keyof FederationEvents]: { type: E; data: FederationEvents[E] };
    }[keyof FederationEvents];
    switch (event.type) {
      case 'state':
        this.takeState(event.data);
        break;
      case 'open':
        this.replace(this.open, event.data);
        break;
      case 'participants':
        this.takeParticipants(event.data);
        break;
      case 'removed':
        for (const id of event.data) this.participants.value.delete(id);
        this.mark(this.participants);
        break;
      case 'round':
        if (this.history.value.add(pointOf(event.data))) this.mark(this.history);
        break;
      case 'deleted':
        this.isDeleted.set(true);
        this.stream.close();
    }
  }

  private takeState(state: FederationState): void {
    this.clockAheadMs = state.nowMs - Date.now();
    this.traffic.note(state.traffic, state.nowMs);
    if (this.id !== undefined && this.id !== state.id) this.startOver();
    this.id = state.id;
    this.replace(this.state, state);
  }

  /** Another federation has taken the name: what is known is of the one before. */
  private startOver(): void {
    this.history.value.clear();
    this.participants.value.clear();
    this.mark(this.history);
    this.mark(this.participants);
    this.stream.retry();
  }

  private takeParticipants(list: readonly LiveParticipant[]): void {
    const all = this.participants.value;
    if (this.isFirstList) all.clear();
    this.isFirstList = false;
    for (const participant of list) all.set(participant.id, participant);
    this.hasParticipants.set(true);
    this.mark(this.participants);
  }

  private replace<T>(cell: Cell<T>, value: T): void {
    this.next.set(cell as Cell<unknown>, value);
    this.frame.request();
  }

  private mark<T>(cell: Cell<T>): void {
    this.dirty.add(cell as Cell<unknown>);
    this.frame.request();
  }

  private show(): void {
    for (const [cell, value] of this.next) cell.set(value);
    this.next.clear();
    for (const cell of this.dirty) cell.changed();
    this.dirty.clear();
  }
}
