/**
 * Enrolments against a store and nothing else: real signatures, real decisions, one durable change for each of them, or for as many as arrive
 * together.
 */
import { parseOptions } from '../../coordinator/options.ts';
import type { FederationRecord, Store } from '../../host/ports.ts';
import { joinStatement, schemaDigest } from '../../protocol/joining.ts';
import { systemClock } from '../clock.ts';
import { newKeyPair, signerOf } from '../crypto.ts';
import { Admission } from '../server/admission.ts';
import { HostNames } from '../server/host-names.ts';
import type { SessionRequest } from '../server/join-proof.ts';
import { DEFAULT_LIMITS_OF_SERVER } from '../server/limits.ts';

const SERVER = 'http://127.0.0.1:1';
const PEER = { remoteAddress: '127.0.0.1', origin: 'checked' } as const;

export class LoadAdmission {
  private readonly federation: FederationRecord;
  private readonly admission: Admission;
  private count = 0;

  constructor(store: Store) {
    const options = parseOptions('load', {});
    this.federation = { name: 'load', id: 'load', createdMs: 0, options };
    const limits = { ...DEFAULT_LIMITS_OF_SERVER, openEnrolments: Number.POSITIVE_INFINITY };
    const hosts = new HostNames({ names: [], isCertified: undefined });
    this.admission = new Admission({ store, enrolment: 'open', clock: systemClock, hosts, limits });
  }

  /** Enrolments a second. Each waits for the one before it. */
  async oneByOne(count: number): Promise<number> {
    const requests = await this.signed(count);
    return await perSecond(count, async () => {
      for (const request of requests) await this.admit(request);
    });
  }

  /** All ask at the same moment. */
  async together(count: number): Promise<number> {
    const requests = await this.signed(count);
    return await perSecond(count, async () => {
      await Promise.all(requests.map((request) => this.admit(request)));
    });
  }

  private async admit(request: SessionRequest): Promise<void> {
    await this.admission.admit(this.federation, request, PEER, () => false);
  }

  private async signed(count: number): Promise<SessionRequest[]> {
    const features = ['x1'];
    const schema = schemaDigest(features);
    const requests: SessionRequest[] = [];
    for (let k = 0; k < count; k++) {
      const { key, sign } = signerOf(newKeyPair());
      const challenge = this.admission.challenge(this.federation);
      const proof = { participant: `p${++this.count}`, key, challenge, server: SERVER, schema };
      const statement = joinStatement({ ...proof, federation: this.federation.id, invitation: '' });
      requests.push({ ...proof, features, signature: await sign(statement) });
    }
    return requests;
  }
}

async function perSecond(count: number, act: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await act();
  return (1000 * count) / (performance.now() - started);
}
