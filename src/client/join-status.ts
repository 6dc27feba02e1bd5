/** How a participation stands, for whoever started it. */
import type { OwnSolves } from './own-solves.ts';
import type { ParticipantLoop } from './participant-loop.ts';
import type { JoinStatus } from './participation-options.ts';
import type { StateStore } from './ports.ts';

/** What there is of it so far. */
interface Parts extends Pick<JoinStatus, 'participant' | 'isConnected' | 'otherVersion'> {
  readonly store: StateStore | undefined;
  readonly loop: ParticipantLoop | undefined;
  readonly solves: OwnSolves | undefined;
}

export function joinStatus({
  participant,
  isConnected,
  otherVersion,
  store,
  loop,
  solves,
}: Parts): JoinStatus {
  const { passes = 0, solveMs } = solves ?? {};
  const { federation, stored } = store?.file ?? {};
  const phase = loop?.state.phase ?? 'joining';
  const base = stored?.base ?? 0;
  const round = loop?.round ?? base;
  const { awaited, waitingFor } = loop?.state ?? {};
  const { agreement } = stored ?? {};
  return {
    ...{ participant, federation, phase, round, base, isConnected, passes, solveMs, otherVersion },
    ...{ awaited, waitingFor, agreement },
  };
}
