/**
 * Bad peers: they are enrolled like everybody else, and say what they should not, to `kindred serve` as a process in which honest
 * participants train all the while. Everything is refused, counted under its code, and without consequence.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeFrom, encode } from '../../../src/protocol/codec.ts';
import type { RejectCode } from '../../../src/protocol/codes.ts';
import { CLOSE } from '../../../src/protocol/joining.ts';
import type {
  AnswerMessage,
  RoundMessage,
  ToCoordinator,
  ToParticipant,
} from '../../../src/protocol/messages.ts';
import { AttackedFederation, Attacker, FEATURES, HOME, RETRY_MS } from '../../helpers/attacked-federation.ts';
import { BAD_MESSAGES } from '../../helpers/bad-messages.ts';
import { USUAL_CLASSES } from '../../helpers/moments.ts';
import { until } from '../../helpers/server.ts';
import { connected, Keys } from '../../helpers/ws-participant.ts';
import { useBuilt } from '../client/helpers.ts';

useBuilt();

const MAX_FRAME_BYTES = 65_536;
/** Joins that are answered: so many at once, and so many more within each time of a retransmission. */
const JOIN_BURST = 16;
const JOINS_PER_RETRY = 4;
const MEGABYTE = 1024 * 1024;

let attacked: AttackedFederation;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kindred-hostile-'));
  attacked = await AttackedFederation.start(folder, ['--max-frame-bytes', String(MAX_FRAME_BYTES)]);
});

afterAll(async () => {
  await attacked?.close();
  rmSync(folder, { recursive: true, force: true });
});

let attackers = 0;
const newAttacker = () => attacked.attacker(`attacker ${attackers++}`);

type Said = ToCoordinator | Uint8Array | string;

/** Joins, and says it in every round that opens, as soon as it does, until there is an answer of the kind. */
async function provoke(attacker: Attacker, kind: 'reject' | 'outcome', say: (order: RoundMessage) => Said) {
  const answer = attacker.link.next(kind);
  let isOver = false;
  attacker.link.onMessage((message) => {
    if (message.kind === kind) isOver = true;
    if (message.kind === 'round' && !isOver) attacker.send(say(message));
  });
  await attacker.join();
  await answer;
}

/** Every refusal that it has heard is of this code, and in the books. */
async function expectCounted(attacker: Attacker, code: RejectCode, before: number): Promise<void> {
  const { heard } = attacker.link;
  const codes = () => heard.flatMap((message) => (message.kind === 'reject' ? [message.code] : []));
  await until(async () => (await attacked.rejected(code)) - before === codes().length, `${code} is counted`);
  expect(new Set(codes())).toEqual(new Set([code]));
}

/** What was said brings nobody down, and training goes on. */
async function expectUnharmed(): Promise<void> {
  const round = await attacked.round();
  await until(async () => (await attacked.round()) > round, 'training goes on');
  expect(attacked.isRunning).toBe(true);
}

describe.each(Object.entries(BAD_MESSAGES))('%s', (_, messages) => {
  test.each(messages)('[REJECT-1] [REJECT-3] $name: $code', async ({ code, by, say }) => {
    const before = await attacked.rejected(code);
    const attacker = await newAttacker();
    if (by === 'stranger') attacker.send(say(attacker, {} as RoundMessage));
    else await provoke(attacker, 'reject', (order) => say(attacker, order));
    await attacker.link.next('reject');
    await expectCounted(attacker, code, before);
    attacker.link.close();
  });
});

describe('replays', () => {
  /** The first answer with which the honest participant on the tapped line has replaced another: to a query of long ago. */
  async function stolenAnswer(): Promise<AnswerMessage> {
    const { frames } = attacked.recording;
    const answers = () =>
      frames
        .map((frame) => decodeFrom('participant', frame))
        .filter((message) => message.kind === 'answer')
        .filter(({ base, scalars }) => base > 0 && scalars.uNorm2 > 0);
    await until(() => answers().length > 0, 'there is something to steal');
    return answers()[0];
  }

  test('an answer of somebody else, as it was: its round is over, nothing is taken', async () => {
    const stolen = await stolenAnswer();
    const attacker = await newAttacker();
    await until(async () => (await attacked.round()) > stolen.round, 'its round is over');
    await provoke(attacker, 'outcome', () => encode(stolen, 'f64'));
    expect(await attacker.link.next('outcome')).toMatchObject({
      round: stolen.round,
      accepted: { round: 0 },
    });
    attacker.link.close();
  });

  test('an answer of somebody else for the round that is open: it would replace what is not its own', async () => {
    const stolen = await stolenAnswer();
    const before = await attacked.rejected('STATE_MISMATCH');
    const attacker = await newAttacker();
    await provoke(attacker, 'reject', ({ round }) => ({ ...stolen, round }));
    await expectCounted(attacker, 'STATE_MISMATCH', before);
    attacker.link.close();
  });

  test('an answer of somebody else as its own: the numbers give it away', async () => {
    const stolen = await stolenAnswer();
    const before = await attacked.rejected('INFEASIBLE');
    const attacker = await newAttacker();
    await provoke(attacker, 'reject', ({ round }) => ({ ...stolen, round, base: 0 }));
    await expectCounted(attacker, 'INFEASIBLE', before);
    attacker.link.close();
  });

  test('the joining of somebody else', async () => {
    const before = await attacked.rejected('WRONG_IDENTITY');
    const attacker = await newAttacker();
    const [join] = attacked.recording.frames;
    expect(decodeFrom('participant', join).kind).toBe('join');
    attacker.send(join);
    await attacker.link.next('reject');
    await expectCounted(attacker, 'WRONG_IDENTITY', before);
    attacker.link.close();
  });

  test('its own answer, again and again: taken once at the most', async () => {
    const attacker = await newAttacker();
    const { round } = await attacker.join();
    for (let i = 0; i < 100; i++) attacker.send(attacker.answer({ round }));
    await until(() => attacker.answer().round > round, 'its round is over');
    for (let i = 0; i < 100; i++) attacker.send(attacker.answer({ round }));
    const outcomes = () => attacker.link.heard.filter((message) => message.kind === 'outcome');
    await until(() => outcomes().length >= 100, 'every copy is answered');
    const [{ accepted }] = outcomes();
    expect([0, round]).toContain(accepted.round);
    for (const outcome of outcomes()) expect(outcome.accepted).toEqual(accepted);
    attacker.link.close();
  });

  test('[JOIN-8] joining again and again, in one life or in ever new ones, changes nothing but the life', async () => {
    const attacker = await newAttacker();
    const beganMs = performance.now();
    await attacker.join();
    const { joined } = (await attacked.ask(HOME)).json.participants;
    for (let i = 0; i < 200; i++) attacker.send(attacker.hello());
    for (let session = 2; session < 200; session++) attacker.send(attacker.hello({ session }));
    for (let i = 0; i < 50; i++) attacker.send(attacker.hello({ session: 3 }));
    // What is dropped is retransmitted, and then taken.
    const timer = setInterval(() => attacker.send(attacker.hello({ session: 199 })), RETRY_MS);
    const last = (message: ToParticipant) => message.kind === 'round' && message.session === 199;
    await until(() => attacker.link.heard.some(last), 'the last life is spoken to').finally(() =>
      clearInterval(timer),
    );
    const answered = attacker.link.heard.filter(({ kind }) => kind === 'welcome').length;
    const regained = (JOINS_PER_RETRY * (performance.now() - beganMs)) / RETRY_MS;
    expect(answered, 'joins that were answered').toBeLessThanOrEqual(JOIN_BURST + regained);
    expect((await attacked.ask(HOME)).json.participants.joined).toBe(joined);
    attacker.link.close();
    await expectUnharmed();
  });

  test('leaving and coming back, again and again', async () => {
    const attacker = await newAttacker();
    await attacker.join();
    for (let session = 1; session <= 100; session++) {
      attacker.send({ kind: 'leave', session });
      attacker.send(attacker.hello({ session: session + 1 }));
    }
    const goodbyes = () => attacker.link.heard.filter((message) => message.kind === 'finish').length;
    await until(() => goodbyes() === 100, 'every goodbye is answered');
    attacker.link.close();
    await expectUnharmed();
  });

  test('connecting again and again: one connection is left', async () => {
    const applicant = { participant: 'pushy', keys: new Keys(), features: FEATURES };
    const links = [];
    for (let i = 0; i < 20; i++) links.push(await connected(attacked.url, applicant));
    const codes = await Promise.all(links.slice(0, -1).map(({ closed }) => closed));
    expect(new Set(codes)).toEqual(new Set([CLOSE.replaced]));
    links.at(-1)!.close();
  });
});

describe('floods', () => {
  const PAST = 5000;

  /** Comes back with the code that its connection was closed with. */
  async function flood(attack: (attacker: Attacker) => void): Promise<number> {
    const attacker = await newAttacker();
    await attacker.join();
    attack(attacker);
    return await attacker.link.closed;
  }

  test.each([
    ['messages', (one: Attacker) => one.send({ kind: 'leave', session: 0 })],
    ['pings', (one: Attacker) => one.link.ping(new Uint8Array(125))],
  ])('too many %s', async (_, say) => {
    const before = await attacked.rejected('RATE_LIMITED');
    const code = await flood((attacker) => {
      for (let i = 0; i < PAST; i++) say(attacker);
    });
    expect(code).toBe(CLOSE.rateLimited);
    expect(await attacked.rejected('RATE_LIMITED')).toBe(before + 1);
    await expectUnharmed();
  });

  test('pings of somebody who never reads an answer take no memory', async () => {
    const before = await attacked.rejected('RATE_LIMITED');
    const memory = await attacked.metric('process_resident_memory_bytes');
    const attacker = await newAttacker();
    attacker.link.deafen();
    for (let i = 0; i < 40 * PAST; i++) attacker.link.ping(new Uint8Array(125));
    await until(async () => (await attacked.rejected('RATE_LIMITED')) > before, 'it is turned out');
    const more = (await attacked.metric('process_resident_memory_bytes')) - memory;
    expect(more, `${(more / MEGABYTE).toFixed(0)} MB more`).toBeLessThan(100 * MEGABYTE);
    attacker.link.terminate();
    await expectUnharmed();
  });

  test('frames that are none, too many of them', async () => {
    const before = await attacked.rejected('BAD_FRAME');
    const code = await flood((attacker) => {
      for (let i = 0; i < 30; i++) attacker.send(new Uint8Array(i));
    });
    expect(code).toBe(CLOSE.badFrames);
    expect(await attacked.rejected('BAD_FRAME')).toBe(before + 20);
  });

  test.each<[string, number, (one: Attacker) => void]>([
    ['a message that is too large', 1009, (one) => one.send(new Uint8Array(MAX_FRAME_BYTES + 1))],
    [
      'a message in parts, too large as a whole',
      1009,
      (one) => {
        for (let i = 0; i < 20; i++) one.link.sendPart(new Uint8Array(4096));
      },
    ],
    [
      'a message in too many parts',
      1008,
      (one) => {
        for (let i = 0; i < 20_000; i++) one.link.sendPart(new Uint8Array(1));
      },
    ],
    ['a frame without a mask', 1002, (one) => one.link.sendBytes(Uint8Array.of(0x82, 1, 0))],
    ['a frame with reserved bits', 1002, (one) => one.link.sendBytes(Uint8Array.of(0xf2, 0x80, 0, 0, 0, 0))],
    [
      'an opcode that does not exist',
      1002,
      (one) => one.link.sendBytes(Uint8Array.of(0x83, 0x80, 0, 0, 0, 0)),
    ],
    ['a ping in parts', 1002, (one) => one.link.sendBytes(Uint8Array.of(0x09, 0x80, 0, 0, 0, 0))],
  ])('%s: closed with %i', async (_, code, attack) => {
    const before = await attacked.rejected('BAD_FRAME');
    expect(await flood(attack)).toBe(code);
    expect(await attacked.rejected('BAD_FRAME')).toBe(before + 1);
  });

  test('a message that never ends keeps nobody else from anything', async () => {
    const attacker = await newAttacker();
    await attacker.join();
    attacker.link.sendPart(new Uint8Array(MAX_FRAME_BYTES - 1));
    await expectUnharmed();
    attacker.link.terminate();
  });
});

describe('before training begins', () => {
  const NAME = 'fresh';

  /** Says it to a federation that waits for two. */
  async function rejectionsAfter(...messages: ((one: Attacker) => ToCoordinator)[]): Promise<object> {
    const name = `${NAME}-${attackers++}`;
    const body = { name, options: { minParticipants: 2, maxWaitMs: 100 } };
    expect((await attacked.operate('/v1/federations', { body })).status).toBe(201);
    for (const participant of ['eve', 'mallory']) {
      const link = await connected(attacked.url, { participant, features: FEATURES, federation: name });
      const one = new Attacker(participant, link);
      for (const message of messages) one.send(message(one));
      // Whatever comes of it has come when this is refused.
      one.send(new Uint8Array(1));
      await until(
        () => link.heard.some((heard) => heard.kind === 'reject' && heard.code === 'BAD_FRAME'),
        'done',
      );
      link.close();
    }
    const { json } = await attacked.ask(`/v1/federations/${name}`);
    expect(json.phase).toBe('gathering');
    return { ...json.rejections, BAD_FRAME: undefined };
  }

  const moments = (count: number, mean: number, m2: number) => (): ToCoordinator => ({
    kind: 'moments',
    count,
    mean: new Float64Array(FEATURES.length).fill(mean),
    m2: new Float64Array(FEATURES.length).fill(m2),
    ...USUAL_CLASSES,
  });

  test.each([
    [
      'other features than its columns',
      [(one: Attacker) => one.hello({ features: 3 })],
      { WRONG_FEATURES: 2 },
    ],
    ['no features', [(one: Attacker) => one.hello({ features: 0 })], { WRONG_FEATURES: 2 }],
    ['billions of features', [(one: Attacker) => one.hello({ features: 4e9 })], { WRONG_FEATURES: 2 }],
    ['deviations below zero', [(one: Attacker) => one.hello(), moments(5, 0, -1)], { INFEASIBLE: 2 }],
    [
      'means that are too far off',
      [(one: Attacker) => one.hello(), moments(5, 1.7e308, 1)],
      { INFEASIBLE: 2 },
    ],
    ['the moments of no rows', [(one: Attacker) => one.hello({ rows: 0 }), moments(0, 0, 0)], {}],
    ['the moments of other rows', [(one: Attacker) => one.hello(), moments(4, 0, 1)], { INFEASIBLE: 2 }],
  ])('%s', async (_, messages, rejections) => {
    expect(await rejectionsAfter(...messages)).toEqual({ ...rejections, BAD_FRAME: undefined });
    await expectUnharmed();
  });
});

test('afterwards the honest ones are as good as without, and nothing is lost', async () => {
  const memory = await attacked.metric('process_resident_memory_bytes');
  expect(memory, `${(memory / MEGABYTE).toFixed(0)} MB`).toBeLessThan(400 * MEGABYTE);
  const results = await attacked.finish();
  expect(results.map(({ reason }) => reason)).toEqual(results.map(() => 'operator'));
  expect((await attacked.ask(HOME)).json.relativeGap).toBeLessThanOrEqual(1e-3);
  const { participants, conservation, ok } = await attacked.verified();
  expect(ok, JSON.stringify({ participants, conservation })).toBe(true);
});
