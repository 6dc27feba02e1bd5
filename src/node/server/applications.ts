/**
 * Those who ask to be admitted at about the same time. Each is decided on its own, in the order of arrival and as if those before it were
 * enrolled already; then all that are new are enrolled in one durable change. Nobody is admitted before that: where it fails, so does every
 * application that rests on it, and no other.
 */
import type {
  Enrolling,
  Enrolment,
  EnrolmentStore,
  FederationRecord,
  HostClock,
  Invitation,
  SchemaRecord,
} from '../../host/ports.ts';
import { schemaDigest } from '../../protocol/joining.ts';
import { ApiError } from './api-error.ts';
import type { Outcome } from './batches.ts';
import { checkIdentity, type SessionRequest } from './join-proof.ts';
import type { Newcomers } from './newcomers.ts';
import { otherColumns } from './other-columns.ts';
import type { Ticket } from './tickets.ts';
import { digestOf } from './token-digest.ts';

/** Somebody who has proved to hold the key. */
export interface Application {
  readonly request: SessionRequest;
  /** Where it has come from. */
  readonly address: string | undefined;
  /** Nobody is there yet, so the columns may still be chosen. */
  mayChoose(): boolean;
}

interface ApplicationsPorts {
  readonly store: EnrolmentStore;
  readonly enrolment: 'open' | 'invitation';
  readonly clock: HostClock;
  readonly newcomers: Newcomers;
}

/** What a ticket may be issued for. */
interface Decided {
  readonly ticket: Ticket;
  /** It is good only if the batch becomes durable. */
  readonly isOfBatch: boolean;
}

export class Applications {
  private readonly ports: ApplicationsPorts;
  private readonly federation: FederationRecord;
  private readonly enrolling = new Map<string, Enrolling>();
  private readonly used = new Set<string>();
  private pinned: SchemaRecord | undefined;
  private isPinnedAnew = false;

  constructor(federation: FederationRecord, ports: ApplicationsPorts) {
    this.federation = federation;
    this.ports = ports;
  }

  /** How many were enrolled. */
  get enrolled(): number {
    return this.enrolling.size;
  }

  async decide(applications: readonly Application[]): Promise<Outcome<Ticket>[]> {
    const { store } = this.ports;
    this.pinned = await store.schema(this.federation.name);
    const decided: (Decided | { readonly error: unknown })[] = [];
    for (const application of applications)
      decided.push(await this.one(application).catch((error: unknown) => ({ error })));
    const failure = await this.commit().catch((error: unknown) => ({ error }));
    return decided.map((one) => {
      if ('error' in one) return one;
      return failure && one.isOfBatch ? failure : { result: one.ticket };
    });
  }

  private async commit(): Promise<undefined> {
    const { store, newcomers } = this.ports;
    const { name } = this.federation;
    try {
      if (this.pinned && this.isPinnedAnew) await store.saveSchema(name, this.pinned);
      if (this.enrolling.size > 0) await store.enrol(name, [...this.enrolling.values()]);
    } catch (error) {
      this.enrolling.clear();
      newcomers.forget(name);
      throw error;
    }
  }

  private async one({ request, address, mayChoose }: Application): Promise<Decided> {
    const { store, newcomers } = this.ports;
    const { name, options } = this.federation;
    const { participant, key, features, agent } = request;
    const isUnion = options.columns === 'union';
    const known = this.enrolling.get(participant)?.enrolment ?? (await store.enrolment(name, participant));
    if (known?.revokedMs !== undefined)
      throw new ApiError('REVOKED', `participant "${participant}" may no longer take part`);
    if (known) checkKey(known, key);
    const invitation = known ? undefined : await this.invitationFor(request);
    checkNames(request);
    if (!isUnion) this.checkSchema(request, mayChoose);
    if (!known) {
      checkIdentity(participant, key);
      await newcomers.check(name, participant, invitation, address);
      await this.enrol({ participant, key }, invitation);
    }
    if (!isUnion) this.pin(request);
    const schema = isUnion ? undefined : request.schema;
    const ticket = { federation: name, participant, key, schema, columns: features?.length, agent };
    return { ticket, isOfBatch: this.isPinnedAnew || this.enrolling.has(participant) };
  }

  private async enrol(
    who: Pick<Enrolment, 'participant' | 'key'>,
    invitation: Invitation | undefined,
  ): Promise<void> {
    const { clock, newcomers } = this.ports;
    const { participant } = who;
    const enrolment = { ...who, enrolledMs: clock.wallClock(), revokedMs: undefined };
    const used = invitation && { ...invitation, usedBy: participant };
    this.enrolling.set(participant, { enrolment, used });
    if (used) this.used.add(used.digest);
    await newcomers.noteEnrolled(this.federation.name, participant);
  }

  private async invitationFor({ participant, invitation: token }: SessionRequest) {
    const { enrolment, store, clock } = this.ports;
    if (token === undefined) {
      if (enrolment === 'open') return undefined;
      const message = `participant "${participant}" is not enrolled: expected an invitation (kindred invite)`;
      throw new ApiError('INVITATION_NEEDED', message);
    }
    const digest = digestOf(token);
    const found = await store.invitation(this.federation.name, digest);
    const wrong = !found
      ? 'expected one of this federation'
      : found.usedBy !== undefined || this.used.has(digest)
        ? 'it has been used'
        : found.expiresMs !== undefined && found.expiresMs <= clock.wallClock()
          ? 'it has expired'
          : found.participant !== undefined && found.participant !== participant
            ? 'it is for another participant'
            : undefined;
    if (wrong) throw new ApiError('INVITATION_INVALID', `invitation: ${wrong}; ask the operator for another`);
    return found;
  }

  private checkSchema(
    { participant, schema, features }: SessionRequest,
    mayChoose: Application['mayChoose'],
  ): void {
    const { pinned } = this;
    if (!pinned || pinned.digest === schema || mayChoose()) return;
    const what = otherColumns(pinned, { digest: schema, features });
    throw new ApiError('WRONG_FEATURES', `participant "${participant}": ${what}`);
  }

  private pin({ schema, features }: SessionRequest): void {
    const { pinned } = this;
    // The first may have kept the names to itself; whoever sends them later sends them for all.
    if (pinned?.digest === schema && (!features || pinned.features)) return;
    this.pinned = { digest: schema, features };
    this.isPinnedAnew = true;
  }
}

function checkNames({ schema, features }: SessionRequest): void {
  if (features && schemaDigest(features) !== schema)
    throw new ApiError('BAD_REQUEST', 'features: expected the names that match the schema digest');
}

export function checkKey({ participant, key: enrolled }: Enrolment, key: string): void {
  if (key !== enrolled)
    throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
}
