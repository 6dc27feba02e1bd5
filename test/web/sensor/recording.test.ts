import { describe, expect, test } from 'vitest';
import { RECORDING } from '../../../src/data/motion-windows.ts';
import { initialState } from '../../../src/web/sensor/device-motion.ts';
import { Recorder } from '../../../src/web/sensor/recorder.ts';
import { windowCounts } from '../../../src/web/sensor/session.ts';
import { Trace } from '../../../src/web/sensor/trace.ts';

describe('a recording', () => {
  test('is complete with its last sample, and not before', () => {
    const recorder = new Recorder('walking');
    for (let i = 0; i < RECORDING - 1; i++) expect(recorder.push(i, 0, 0)).toBeUndefined();
    expect(recorder.share).toBeCloseTo(1, 2);
    const samples = recorder.push(7, 8, 9)!;
    expect([samples[0], samples[3], ...samples.slice(-3)]).toEqual([0, 1, 7, 8, 9]);
  });

  test('begins anew after a gap', () => {
    const recorder = new Recorder('sitting');
    for (let i = 0; i < RECORDING - 1; i++) recorder.push(1, 1, 1);
    recorder.reset();
    expect([recorder.share, recorder.push(2, 2, 2)]).toEqual([0, undefined]);
  });

  test('counts for its windows, by activity', () => {
    const samples = new Float64Array(3 * RECORDING);
    const of = (activity: 'walking' | 'shaking') => ({ activity, samples });
    expect(windowCounts([of('walking'), of('shaking'), of('walking')])).toEqual([12, 0, 0, 6]);
  });
});

describe('the live curve', () => {
  test('keeps the last samples, from the oldest on', () => {
    const trace = new Trace();
    for (let i = 0; i < Trace.length + 10; i++) trace.push(i, -2 * i, 0);
    expect([trace.count, trace.value(0, 0), trace.value(Trace.length - 1, 0)]).toEqual([
      ...[Trace.length, 10, Trace.length + 9],
    ]);
    expect(trace.largest).toBe(2 * (Trace.length + 9));
    trace.clear();
    expect([trace.count, trace.largest]).toEqual([0, 0]);
  });
});

test('on plain http it is known before asking that there is no motion', () => {
  expect(initialState({ isSecureContext: true })).toBe('idle');
  expect(initialState({ isSecureContext: false })).toBe('insecure');
});
