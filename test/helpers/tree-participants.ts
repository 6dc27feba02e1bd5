/** Real participants of a federation on NATS, in this process: whatever happens to gateways, they come back through the balancer. */
import { parseEndpoint } from '../../src/client/endpoint.ts';
import { MemoryState } from '../../src/client/memory-store.ts';
import { participate } from '../../src/client/participation.ts';
import type { JoinEvent, Participation } from '../../src/client/participation-options.ts';
import type { StateStore } from '../../src/client/ports.ts';
import { localSolver } from '../../src/client/row-work.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { webTransport } from '../../src/node/client/web-transport.ts';
import { systemClock } from '../../src/node/clock.ts';
import { entropyStream, newKeyPair, signerOf, systemEntropy } from '../../src/node/crypto.ts';
import { sentPart } from '../../src/solver/member.ts';
import { addScaled, norm } from '../../src/solver/vector.ts';

/** Dead connections are noticed soon. */
const HEARTBEAT = { pingMs: 300, silenceMs: 1500 };

/** Whether it goes when training has ended. */
type Stay = 'to the end' | 'for good';

interface TreeParticipantOptions {
  readonly stays?: Stay;
  readonly secure?: boolean;
}

export class TreeParticipant {
  readonly id: string;
  readonly events: JoinEvent[] = [];
  readonly participation: Participation;
  private store: StateStore | undefined;

  constructor(
    url: string,
    table: Table,
    id: string,
    { stays = 'to the end', secure = false }: TreeParticipantOptions = {},
  ) {
    this.id = id;
    const memory = new MemoryState();
    const signer = signerOf(newKeyPair());
    this.participation = participate(
      {
        participant: id,
        data: { table: rowsOfParticipant(table, id)! },
        testFraction: 0,
        secure,
        keepGoing: stays === 'for good',
        retryFromMs: 50,
        retryMostMs: 500,
        onEvent: (event) => this.events.push(event),
      },
      {
        transport: () => webTransport(parseEndpoint(url), {}, HEARTBEAT),
        home: async (newcomer) => {
          this.store = memory.open(newcomer, systemEntropy(32));
          return { store: this.store, signer };
        },
        solver: localSolver(systemClock, entropyStream),
        clock: systemClock,
        random: Math.random,
      },
    );
    this.participation.done.catch(() => {});
  }

  /** Its last accepted contribution. */
  get u(): Float64Array | undefined {
    const committed = this.store?.file.stored.committed;
    return committed && sentPart(committed).u;
  }

  /** Round of an answer of which it does not know what became; 0: none. */
  get pending(): number {
    return this.store?.file.stored.pending?.message.round ?? 0;
  }

  get lost(): number {
    return this.events.filter(({ type }) => type === 'lost').length;
  }
}

export function joinAll(url: string, table: Table, options?: TreeParticipantOptions): TreeParticipant[] {
  return table.participants.map((id) => new TreeParticipant(url, table, id, options));
}

/** |U - sum of u_k| / |U|. */
export function conservationError(sum: Float64Array, participants: readonly TreeParticipant[]): number {
  const rest = sum.slice();
  for (const { u } of participants) if (u) addScaled(rest, -1, u);
  return norm(rest) / (norm(sum) || 1);
}
