/** Leaving a federation for good, from a state alone: nothing is solved for it, so no rows are needed. */
import { KindredError } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import { encode } from '../protocol/codec.ts';
import { columnTitles } from '../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import { Connection } from './connection.ts';
import type { FederationName } from './participant-file.ts';
import { ParticipantLoop } from './participant-loop.ts';
import type { Home, RandomShare, Transport } from './ports.ts';

interface LeavingPorts {
  readonly transport: Transport;
  readonly home: Home;
  readonly clock: Clock;
  readonly random: RandomShare;
}

/** As for joining: pauses between attempts to connect. */
const RETRY = { fromMs: 200, mostMs: 15_000 };
/** Of retransmissions, where the federation has not said otherwise yet. */
const RETRY_MS = 2000;

export interface Left {
  readonly participant: string;
  readonly federation: FederationName;
  /** Round of its last accepted answer, which stays in the model; 0: none. */
  readonly base: number;
}

/** Whoever leaves needs none. */
const NO_TARGETS = { labels: [], positive: undefined, values: { mean: 0, m2: 0 } };

/** Resolves when the coordinator has acknowledged it. The state stays, and says that the participant has left. */
export async function leaveFederation({ transport, home, clock, random }: LeavingPorts): Promise<Left> {
  const { store, signer } = home;
  const { participant, features, texts, federation, stored } = store.file;
  if (!federation) {
    const sentence = `${store.place}: participant "${participant}" has never joined a federation`;
    throw new KindredError('NEVER_JOINED', `${sentence}, so it cannot leave one`);
  }
  const nothing = {
    count: 1,
    mean: new Float64Array(features.length),
    m2: new Float64Array(features.length),
  };
  const profile = {
    id: participant,
    rows: 1,
    features: features.length,
    benchmarkMs: 0,
    moments: nothing,
    targets: NO_TARGETS,
  };
  const idle = () => {};
  let connection: Connection | undefined;
  let stop = idle;
  try {
    await new Promise<void>((resolve, reject) => {
      const loop: ParticipantLoop = new ParticipantLoop(
        { profile: { ...profile, retryMs: RETRY_MS }, stored: { ...stored, finished: undefined } },
        {
          clock,
          store,
          solver: { prepare: idle, solve: idle, cancel: idle, interrupt: idle },
          send: (message, precision) => void connection?.send(encode(message, precision)),
          settled: () => {
            if (loop.state.phase === 'gone') resolve();
          },
          failed: reject,
        },
      );
      stop = () => loop.stop();
      let hasStarted = false;
      loop.take({ type: 'leave' });
      connection = new Connection(
        {
          ...{ transport, clock, random, retry: RETRY, limits: DEFAULT_LIMITS },
          applicant: () => {
            const { schema } = store.file;
            const { place } = store;
            const titles = columnTitles(features, texts);
            return {
              participant,
              signer,
              schema,
              features: titles,
              invitation: undefined,
              federation,
              place,
            };
          },
        },
        {
          admitted: idle,
          connected: () => {
            loop.take({ type: hasStarted ? 'timer' : 'start' });
            hasStarted = true;
          },
          message: (message) => loop.take({ type: 'message', message }),
          badFrame: idle,
          lost: idle,
          ended: reject,
        },
      );
    });
    return { participant, federation, base: store.file.stored.base };
  } finally {
    stop();
    await connection?.close();
    await store.release();
  }
}
