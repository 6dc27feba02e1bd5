/** Many participants in one process, for load tests: each is admitted like any other. */
import '../crc32.ts';
import { admit } from '../../client/admission.ts';
import { type Endpoint, parseEndpoint } from '../../client/endpoint.ts';
import { Arena } from '../../math/arena.ts';
import { schemaDigest } from '../../protocol/joining.ts';
import { webTransport } from '../client/web-transport.ts';
import { newKeyPair, signerOf } from '../crypto.ts';
import { LoadParticipant, Openings, SharedDecoding } from './load-participant.ts';

/** Coming in at the same time. */
const AT_ONCE = 64;
const CHECK_MS = 500;

export class LoadFleet {
  /** Of rounds, as the first of them receives them. */
  readonly openings = new Openings();
  readonly participants: LoadParticipant[];
  /** The last of them pretends to solve for so long, the others for shorter times, evenly spread. */
  slowestMs = 0;
  private readonly endpoint: Endpoint;
  private readonly names: string[];
  private checking: NodeJS.Timeout | undefined;

  /** `first`: number of the first one; those of other fleets have others. */
  constructor(url: string, size: number, features: number, first = 1) {
    this.endpoint = parseEndpoint(url);
    this.names = Array.from({ length: features }, (_, j) => `x${j + 1}`);
    const arena = new Arena();
    const now = () => performance.now();
    const ports = {
      arena,
      decoding: new SharedDecoding(),
      features,
      now,
      onRound: (participant: LoadParticipant, round: number) => {
        if (participant === this.participants[0]) this.openings.opened(round);
      },
      solvingMs: (participant: LoadParticipant) => (this.slowestMs * place.get(participant)!) / size,
    };
    this.participants = Array.from({ length: size }, (_, k) => new LoadParticipant(`p${first + k}`, ports));
    const place = new Map(this.participants.map((participant, k) => [participant, k + 1]));
  }

  /** All are connected and authenticated when it comes back; nobody has sent anything yet. */
  async connect(): Promise<void> {
    const waiting = [...this.participants];
    const one = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await this.bringIn(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  }

  start(): void {
    for (const participant of this.participants) participant.start();
    this.checking = setInterval(() => {
      const now = performance.now();
      for (const participant of this.participants) participant.checkTimer(now);
    }, CHECK_MS);
  }

  /** Of all participants so far, both ways. */
  get bytes(): number {
    return this.participants.reduce((sum, { bytesIn, bytesOut }) => sum + bytesIn + bytesOut, 0);
  }

  /** Of one participant in one round, both ways. */
  bytesPerRound(): number {
    return this.bytes / this.participants.length / Math.max(1, this.openings.round);
  }

  close(): void {
    clearInterval(this.checking);
    for (const participant of this.participants) participant.close();
  }

  private async bringIn(participant: LoadParticipant): Promise<void> {
    const applicant = {
      participant: participant.id,
      signer: signerOf(newKeyPair()),
      schema: schemaDigest(this.names),
      features: this.names,
      invitation: undefined,
      federation: undefined,
      place: '',
    };
    const { ticket } = await admit(webTransport(this.endpoint), applicant, new AbortController().signal);
    await participant.connect(this.endpoint.connect.href, ticket);
  }
}
