/** What a participant's state forgets when its rows change. */
import { expect, test } from 'vitest';
import { withRows } from '../../src/client/opening.ts';
import { newParticipantFile } from '../../src/client/participant-file.ts';

test('sigmoids that were fitted to the rows before are gone with them', () => {
  const newcomer = { participant: 'a', features: ['x1'], schema: '', columns: undefined, rows: 'before' };
  const file = {
    ...newParticipantFile(newcomer, new Uint8Array(32)),
    calibration: { round: 3, sigmoids: [{ a: 2, b: 0 }] },
  };
  const known = { train: new Float64Array(1), test: new Float64Array(0), testFraction: 0, seed: 1 };
  const changes = withRows(file, { rows: 'after', known, removed: undefined }, undefined);
  expect({ ...file, ...changes }).toMatchObject({ rows: 'after', calibration: undefined });
});
