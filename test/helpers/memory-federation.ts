/** A federation within one process: a coordinator behind a server in memory, and participants on ports that know no runtime. */
import { MemoryState } from '../../src/client/memory-store.ts';
import { participate } from '../../src/client/participation.ts';
import type { ParticipationOptions } from '../../src/client/participation-options.ts';
import type { OpenSolver, StateStore } from '../../src/client/ports.ts';
import { localSolver } from '../../src/client/row-work.ts';
import { step } from '../../src/coordinator/machine.ts';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import { newCoordinator } from '../../src/coordinator/stored.ts';
import { systemClock } from '../../src/node/clock.ts';
import { entropyStream, newKeyPair, signerOf, systemEntropy } from '../../src/node/crypto.ts';
import { decodeFrom, encode } from '../../src/protocol/codec.ts';
import { MemoryServer, slowStore } from './memory-server.ts';

/** A coordinator behind a server in memory. */
export function serve(options: CoordinatorOptions) {
  const server = new MemoryServer();
  const state = newCoordinator(options);
  const rows: RoundRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  type Input = Parameters<typeof step>[1];
  const take = (input: Input) => {
    for (const effect of step(state, input)) {
      if (effect.type === 'send') server.send(effect.to, encode(effect.message, options.precision));
      else if (effect.type === 'row') rows.push(effect.row);
      else if (effect.type === 'timer') {
        clearTimeout(timer);
        const waitMs = Math.min(effect.atMs - performance.now(), 2 ** 31 - 1);
        timer = setTimeout(() => take({ type: 'timer', now: performance.now() }), waitMs);
      } else if (effect.type === 'summation')
        setTimeout(() => take({ type: 'summed', now: performance.now() }), effect.ms);
    }
  };
  server.onFrame = (from, frame) => {
    const message = decodeFrom('participant', frame);
    take({ type: 'message', from, message, now: performance.now() });
  };
  take({ type: 'start', now: performance.now() });
  return { server, state, rows, close: () => clearTimeout(timer) };
}

export interface Device {
  readonly memory: MemoryState;
  readonly signer: ReturnType<typeof signerOf>;
}

export function newDevice(): Device {
  return { memory: new MemoryState(), signer: signerOf(newKeyPair()) };
}

export function join(
  { transport }: MemoryServer,
  { memory, signer }: Device,
  options: ParticipationOptions,
  wrap: (store: StateStore) => StateStore = slowStore,
  solver: OpenSolver = localSolver(systemClock, entropyStream),
) {
  return participate(options, {
    transport: () => transport,
    home: async (newcomer) => ({ store: wrap(memory.open(newcomer, systemEntropy(32))), signer }),
    solver,
    clock: systemClock,
    random: () => 0.5,
  });
}
