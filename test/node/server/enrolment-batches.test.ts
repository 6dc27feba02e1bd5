/** Those who arrive while others are being enrolled are enrolled together: each is decided on its own, and nobody before it is durable. */
import { expect, test } from 'vitest';
import { parseOptions } from '../../../src/coordinator/options.ts';
import { MemoryStore } from '../../../src/host/memory-store.ts';
import type { Enrolling, FederationRecord } from '../../../src/host/ports.ts';
import { systemClock } from '../../../src/node/clock.ts';
import { Admission } from '../../../src/node/server/admission.ts';
import { HostNames } from '../../../src/node/server/host-names.ts';
import { DEFAULT_LIMITS_OF_SERVER } from '../../../src/node/server/limits.ts';
import { joinStatement, schemaDigest } from '../../../src/protocol/joining.ts';
import { until } from '../../helpers/server.ts';
import { Keys } from '../../helpers/ws-participant.ts';

const FEDERATION: FederationRecord = {
  ...{ name: 'default', id: 'id', createdMs: 0 },
  options: parseOptions('default', {}),
};
const LOCAL = { remoteAddress: '127.0.0.1', origin: 'checked' } as const;
const FEATURES = ['x1'];

/** Enrolments wait at a gate, and fail while the store is out of order. */
class GatedStore extends MemoryStore {
  readonly batches: string[][] = [];
  isBroken = false;
  private readonly waiting: (() => void)[] = [];

  override async enrol(federation: string, enrolling: readonly Enrolling[]): Promise<void> {
    this.batches.push(enrolling.map(({ enrolment }) => enrolment.participant));
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.isBroken) throw new Error('out of order');
    await super.enrol(federation, enrolling);
  }

  /** The change that is under way ends, or the next one. */
  async pass(): Promise<void> {
    await until(() => this.waiting.length > 0, 'a change of the store');
    this.waiting.shift()!();
  }
}

class Door {
  readonly store = new GatedStore();
  readonly admission: Admission;

  constructor(enrolment: 'open' | 'invitation' = 'open') {
    this.admission = new Admission({
      ...{ store: this.store, enrolment, clock: systemClock, limits: DEFAULT_LIMITS_OF_SERVER },
      hosts: new HostNames({ names: [], isCertified: undefined }),
    });
  }

  /** Gives the code of a refusal, or `ticket`. */
  async ask(participant: string, { keys = new Keys(), invitation = '', features = FEATURES } = {}) {
    const proof = {
      ...{ participant, key: keys.publicKey, server: 'http://127.0.0.1:1' },
      challenge: this.admission.challenge(FEDERATION),
      schema: schemaDigest(features),
    };
    const signature = keys.sign(joinStatement({ ...proof, federation: FEDERATION.id, invitation }));
    const request = { ...proof, features, signature, ...(invitation !== '' && { invitation }) };
    try {
      await this.admission.admit(FEDERATION, request, LOCAL, () => false);
      return 'ticket';
    } catch (error) {
      return (error as { code?: string }).code ?? (error as Error).message;
    }
  }

  get names(): string[] {
    return this.store.enrolments('default').map(({ participant }) => participant);
  }
}

test('a hundred who arrive during one change are enrolled by the next, and not admitted before it is durable', async () => {
  const door = new Door();
  const first = door.ask('first');
  await until(() => door.store.batches.length === 1, 'change 1');
  const names = Array.from({ length: 100 }, (_, k) => `p${k}`);
  let admitted = 0;
  const others = names.map((name) => door.ask(name).finally(() => admitted++));
  await door.store.pass();
  expect(await first).toBe('ticket');
  await until(() => door.store.batches.length === 2, 'change 2');
  expect(door.store.batches[1]).toEqual(names);
  expect([admitted, door.names]).toEqual([0, ['first']]);
  await door.store.pass();
  expect(new Set(await Promise.all(others))).toEqual(new Set(['ticket']));
  expect(door.names).toEqual(['first', ...names].toSorted());
  expect(await door.admission.enrolled('default')).toBe(101);
});

test('within a batch names, invitations and columns go to who comes first, and a refusal harms nobody else', async () => {
  const door = new Door('invitation');
  const invite = async (participant?: string) =>
    (await door.admission.invite('default', { participant }))[0].token;
  const [one, two, three, four, forCleo] = [
    ...[await invite(), await invite(), await invite(), await invite()],
    await invite('cleo'),
  ];
  const keys = new Keys();
  const answers = Promise.all([
    door.ask('ada', { invitation: one, keys }),
    door.ask('ada', { keys }),
    door.ask('ada', { invitation: two }),
    door.ask('ben', { invitation: one }),
    door.ask('ADA', { invitation: two }),
    door.ask('cleo', { invitation: two }),
    door.ask('cleo', { invitation: forCleo }),
    door.ask('dan', { invitation: three, features: ['other'] }),
    door.ask('eve', { invitation: 'unknown' }),
    door.ask('fay', { invitation: four }),
  ]);
  await door.store.pass();
  expect(await answers).toEqual([
    'ticket',
    'ticket',
    'NAME_TAKEN',
    'INVITATION_INVALID',
    'NAME_TAKEN',
    'NAME_TAKEN',
    'ticket',
    'WRONG_FEATURES',
    'INVITATION_INVALID',
    'ticket',
  ]);
  expect(door.store.batches).toEqual([['ada', 'cleo', 'fay']]);
  const unused = door.store.invitations('default').filter(({ usedBy }) => usedBy === undefined);
  expect(unused).toHaveLength(2);
});

test('a batch that cannot be stored admits none of its newcomers, whoever was enrolled comes in, and all may try again', async () => {
  const door = new Door();
  const keys = new Keys();
  const first = door.ask('ada', { keys });
  await door.store.pass();
  expect(await first).toBe('ticket');
  const newcomer = new Keys();
  const asked = () => [door.ask('ada', { keys }), door.ask('ben', { keys: newcomer }), door.ask('cleo')];
  door.store.isBroken = true;
  const failing = Promise.all(asked());
  await door.store.pass();
  expect(await failing).toEqual(['ticket', 'out of order', 'out of order']);
  expect(door.names).toEqual(['ada']);
  door.store.isBroken = false;
  const again = Promise.all(asked());
  await door.store.pass();
  expect(await again).toEqual(['ticket', 'ticket', 'ticket']);
  expect(door.names).toEqual(['ada', 'ben', 'cleo']);
});
