/** The state of a trainer as `kindred join` keeps it, as far as `verify` reads it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seal } from '../../src/base/packed.ts';
import { STATE_SEAL } from '../../src/node/client/state-folder.ts';
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
    rows: '',
    secret: new Uint8Array(32),
    stored,
  };
  writeFileSync(join(folder, 'state'), seal(STATE_SEAL, file));
  return folder;
}
