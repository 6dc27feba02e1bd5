/** Many participants in one process, for load tests: they come in through the door like everybody else. */
import '../crc32.ts';
import { Arena } from '../../math/arena.ts';
import { schemaDigest } from '../../protocol/joining.ts';
import { admit } from '../client/admission.ts';
import { type Endpoint, parseEndpoint } from '../client/endpoint.ts';
import { identityOf, newKeyPair } from '../client/identity.ts';
import { LoadParticipant } from './load-participant.ts';
import { Openings } from './openings.ts';
import { SharedDecoding } from './shared-decoding.ts';

/** Coming in at the same time. */
const AT_ONCE = 16;
const LOOK_MS = 500;

export class LoadFleet {
  /** Of rounds, as the first of them hears of it. */
  readonly openings = new Openings();
  readonly participants: LoadParticipant[];
  private readonly endpoint: Endpoint;
  private readonly names: string[];
  private looking: NodeJS.Timeout | undefined;

  constructor(url: string, size: number, features: number) {
    this.endpoint = parseEndpoint(url);
    this.names = Array.from({ length: features }, (_, j) => `x${j + 1}`);
    const arena = new Arena();
    const now = () => performance.now();
    const world = {
      arena,
      decoding: new SharedDecoding(),
      features,
      now,
      onRound: (participant: LoadParticipant, round: number) => {
        if (participant === this.participants[0]) this.openings.heard(round);
      },
    };
    this.participants = Array.from({ length: size }, (_, k) => new LoadParticipant(`p${k + 1}`, world));
  }

  /** All are connected and authenticated when it comes back; nobody has said anything yet. */
  async connect(): Promise<void> {
    const waiting = [...this.participants];
    const one = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await this.bringIn(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }

  start(): void {
    for (const participant of this.participants) participant.start();
    this.looking = setInterval(() => {
      const now = performance.now();
      for (const participant of this.participants) participant.look(now);
    }, LOOK_MS);
  }

  /** Of one participant in one round, both ways. */
  bytesPerRound(): number {
    const bytes = this.participants.reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0);
    return bytes / this.participants.length / Math.max(1, this.openings.round);
  }

  close(): void {
    clearInterval(this.looking);
    for (const participant of this.participants) participant.close();
  }

  private async bringIn(participant: LoadParticipant): Promise<void> {
    const applicant = {
      participant: participant.id,
      identity: identityOf(newKeyPair()),
      schema: schemaDigest(this.names),
      features: this.names,
      invitation: undefined,
      federation: undefined,
      stateFolder: '',
    };
    const { ticket } = await admit(this.endpoint, applicant, {}, new AbortController().signal);
    await participant.connect(this.endpoint.connect.href, ticket);
  }
}
