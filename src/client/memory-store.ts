/** A state that lasts as long as the process: for tests, and for participants that begin again with every visit. */
import { KindredError } from '../base/errors.ts';
import { type NewParticipant, newParticipantFile, type ParticipantFile } from './participant-file.ts';
import type { StateStore } from './ports.ts';

/** What a process leaves behind; each opening has it for itself until it is released. */
export class MemoryState {
  private file: ParticipantFile | undefined;
  private isOpen = false;

  open(newcomer: NewParticipant, secret: Uint8Array): StateStore {
    if (this.isOpen)
      throw new KindredError('STATE_IN_USE', 'memory: expected an unused state, got one in use', 'input');
    this.isOpen = true;
    this.file ??= newParticipantFile(newcomer, secret);
    let current = this.file;
    const save = (changes: Partial<ParticipantFile>) => {
      current = { ...current, ...changes };
      this.file = current;
    };
    return {
      place: 'memory',
      get file() {
        return current;
      },
      save,
      rewrite: save,
      release: () => {
        this.isOpen = false;
      },
    };
  }
}
