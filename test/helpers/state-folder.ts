/** The state of a trainer as `kindred join` keeps it, as far as `verify` reads it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotOf } from '../../src/node/client/state-journal.ts';
import type { Stored } from '../../src/participant/state.ts';
import type { Trainer } from './ws-trainer.ts';

export function storedBy({ settings, session, base, committed, pending, edition }: Trainer): Stored {
  return {
    settings,
    scaling: undefined,
    session,
    base,
    committed,
    pending,
    edition,
    model: undefined,
    finished: undefined,
  };
}

export function writeState(
  folder: string,
  trainer: Trainer,
  federation: { readonly id: string; readonly name: string },
  stored: Stored = storedBy(trainer),
): string {
  mkdirSync(folder, { recursive: true });
  const file = {
    participant: trainer.id,
    federation,
    features: ['x1', 'x2'],
    schema: '',
    columns: undefined,
    rows: '',
    classes: undefined,
    secret: new Uint8Array(32),
    stored,
  };
  writeFileSync(join(folder, 'state'), snapshotOf(file));
  return folder;
}
