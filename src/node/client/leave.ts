/** `leaveFor`: a participant on Node leaves a federation for good, from its state folder alone. */
import '../crc32.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Left, leaveFederation } from '../../client/leaving.ts';
import { systemClock } from '../clock.ts';
import { cryptoShare, type JoinOptions, transportTo } from './join.ts';
import { openFolder, readParticipantState } from './state-folder.ts';

/** Whether the participant of a folder has left its federation for good; false also where there is no state yet. */
export function hasLeft(folder: string): boolean {
  return existsSync(join(folder, 'state')) && readParticipantState(folder).stored.finished === 'left';
}

export async function leaveFor(
  options: Pick<JoinOptions, 'url' | 'stateFolder' | 'tls' | 'env' | 'timing'>,
): Promise<Left> {
  const { stateFolder } = options;
  const transport = transportTo(options);
  // Refuses a folder without a state: none is begun to leave with.
  const home = openFolder(stateFolder, readParticipantState(stateFolder));
  return leaveFederation({ transport, home, clock: systemClock, random: cryptoShare });
}
