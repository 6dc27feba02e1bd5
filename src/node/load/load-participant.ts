/**
 * A participant for load tests: the real machine on a few rows of noise, with a real key and a real connection, but without a
 * thread, a disk or a clock of its own, so that one process can be thousands of them.
 */
import { WebSocket } from 'ws';
import { stream } from '../../base/random.ts';
import type { Arena } from '../../math/arena.ts';
import { featureMoments } from '../../math/scaling.ts';
import type { ParticipantEffect, ParticipantInput } from '../../participant/effects.ts';
import { step } from '../../participant/machine.ts';
import { scaledShard } from '../../participant/scaled-rows.ts';
import { carryOut, planned } from '../../participant/solve.ts';
import { newParticipant, type ParticipantState } from '../../participant/state.ts';
import { encode } from '../../protocol/codec.ts';
import { SUBPROTOCOL, TICKET_PREFIX } from '../../protocol/joining.ts';
import type { FederationSettings } from '../../settings/federation.ts';
import type { Shard } from '../../solver/shard.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import type { SharedDecoding } from './shared-decoding.ts';

/** One of each class: what is measured is the coordinator, not how long participants solve. */
const ROWS = 2;

export interface LoadWorld {
  readonly arena: Arena;
  readonly decoding: SharedDecoding;
  readonly features: number;
  readonly now: () => number;
  onRound(participant: LoadParticipant, round: number): void;
}

export class LoadParticipant {
  readonly id: string;
  readonly state: ParticipantState;
  bytesIn = 0;
  bytesOut = 0;
  private readonly world: LoadWorld;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  private shard: Shard | undefined;
  private settings: FederationSettings | undefined;
  private socket: WebSocket | undefined;
  private again = Number.POSITIVE_INFINITY;

  constructor(id: string, world: LoadWorld) {
    this.id = id;
    this.world = world;
    const { features } = world;
    const random = stream(1, 'load', 0, id);
    this.x = Float64Array.from({ length: ROWS * features }, () => random.normal());
    this.y = Float64Array.from({ length: ROWS }, (_, i) => (i % 2 === 0 ? 1 : -1));
    const moments = featureMoments(
      this.x,
      features,
      Uint32Array.from({ length: ROWS }, (_, i) => i),
    );
    this.state = newParticipant({ id, rows: ROWS, features, benchmarkMs: 1, moments, retryMs: 10_000 });
  }

  /** Resolves when it is connected. */
  connect(url: string, ticket: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, [SUBPROTOCOL, TICKET_PREFIX + ticket], CLIENT_OPTIONS);
      this.socket = socket;
      socket.on('open', resolve);
      socket.on('error', reject);
      socket.on('message', (data: Buffer) => this.receive(data));
    });
  }

  start(): void {
    this.take({ type: 'start', now: this.world.now() });
  }

  /** Says again what may not have been heard, if it is time. */
  look(now: number): void {
    if (now >= this.again) this.take({ type: 'timer', now });
  }

  close(): void {
    this.socket?.terminate();
    this.shard?.release();
  }

  private receive(data: Buffer): void {
    this.bytesIn += data.length;
    const message = this.world.decoding.of(data);
    if (message.kind === 'round') this.world.onRound(this, message.round);
    this.take({ type: 'message', message, now: this.world.now() });
  }

  private take(input: ParticipantInput): void {
    for (const effect of step(this.state, input)) this.carryOut(effect);
  }

  private carryOut(effect: ParticipantEffect): void {
    const { now } = this.world;
    switch (effect.type) {
      case 'send': {
        const frame = encode(effect.message, this.settings?.precision ?? 'f64');
        this.bytesOut += frame.length;
        this.socket?.send(frame);
        break;
      }
      case 'prepare':
        this.settings = effect.settings;
        this.shard ??= scaledShard(this.world.arena, effect.settings, effect.scaling, {
          x: this.x,
          y: this.y,
          features: this.world.features,
        });
        this.take({
          type: 'prepared',
          problem: this.shard,
          now: now(),
        });
        break;
      case 'solve': {
        const outcome = carryOut(
          this.shard!,
          effect.request,
          this.settings!,
          planned(effect.request.passes),
          () => stream(1, 'load mask'),
        );
        this.take({ type: 'solved', result: { ...outcome, computeMs: 0 }, now: now() });
        break;
      }
      case 'timer':
        this.again = effect.atMs;
        break;
    }
  }
}
