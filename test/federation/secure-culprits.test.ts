/** Whoever sends wrong shares is found, put out with a reason, and stays out; the others train as if it had never been there. */
import { describe, expect, test } from 'vitest';
import { encode } from '../../src/protocol/codec.ts';
import type { ToCoordinator } from '../../src/protocol/messages.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { securePlan, wrongEntries } from '../helpers/secure-federation.ts';
import { smallHar } from '../helpers/tables.ts';
import { decode } from '../protocol/frames.ts';

const CULPRIT = '2';
const OPTIONS = { gap: 1e-3, rounds: 60, c2: 0.5 };
const TIMING = { maxWaitMs: 500, retryMs: 50, secure: { phaseMs: 200 } };

/** From the first round of training on. */
function sending(participants: number, change: (message: ToCoordinator) => ToCoordinator): Simulation {
  const table = smallHar(4, participants, 30);
  const simulation = new Simulation(securePlan(table, OPTIONS, { options: TIMING }));
  const node = simulation.coordinator;
  const receive = node.receive.bind(node);
  node.receive = (from, frame) => {
    const message = decode(frame) as ToCoordinator;
    const lies = from === CULPRIT && node.state!.trainer !== undefined;
    receive(from, lies ? encode(change(message), 'f64') : frame);
  };
  return simulation.run();
}

const flipped = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 1);
const LIES = {
  'wrong shares': (message: ToCoordinator): ToCoordinator =>
    message.kind === 'revealed' ? { ...message, shares: flipped(message.shares) } : message,
  'a wrong share of one': (message: ToCoordinator): ToCoordinator =>
    message.kind === 'revealed'
      ? { ...message, shares: message.shares.map((byte, i) => (i < 16 ? byte ^ 255 : byte)) }
      : message,
  'commitments to something else': (message: ToCoordinator): ToCoordinator =>
    message.kind === 'dealt' ? { ...message, commitments: flipped(message.commitments) } : message,
};

describe.each(Object.entries(LIES))('%s', (_, lie) => {
  test.each([4, 5, 8])('[SECURE-20] among %i', (participants) => {
    const control = sending(participants, (message) => message);
    const simulation = sending(participants, lie);
    const { state, disk } = simulation.coordinator;
    expect(state!.members.get(CULPRIT)!.expelled).toMatch(
      /^participant "2": .* (was wrong|did not match its commitment) in round \d+$/,
    );
    expect(disk.members.get(CULPRIT)!.expelled).toBe(state!.members.get(CULPRIT)!.expelled);
    expect(state!.rejections.get('EXPELLED')).toBeGreaterThanOrEqual(1);
    expect([...state!.members.values()].filter(({ expelled }) => expelled).length).toBe(1);
    // Where its answer was taken before it was put out, nobody knows how good that was: the vectors end it.
    expect(['gap', 'stall']).toContain(state!.finish);
    expect(simulation.rows.length).toBeLessThanOrEqual(control.rows.length + 6);
    expect(wrongEntries(simulation)).toBe(0);
    // The accused has followed the protocol, as far as it knows, and says so.
    expect(simulation.participants.get(CULPRIT)!.state!.refusal).toMatchObject({
      code: 'ACCUSED',
      message: expect.stringContaining('this process followed the protocol'),
    });
  });
});

test('a fault of the network is nobody’s: shares that are missing put nobody out', () => {
  const table = smallHar(4, 6, 30);
  const simulation = new Simulation(securePlan(table, OPTIONS, { options: TIMING }));
  const node = simulation.coordinator;
  const receive = node.receive.bind(node);
  node.receive = (from, frame) => {
    const message = decode(frame);
    if (message.kind === 'revealed' && from === CULPRIT && message.round % 2 === 0) return;
    receive(from, frame);
  };
  simulation.run();
  expect(node.state!.finish).toBe('gap');
  expect([...node.state!.members.values()].some(({ expelled }) => expelled)).toBe(false);
});
