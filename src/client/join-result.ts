/** What a participation has come to: for whoever started it, from what is left when it has ended. */
import { agreedNotes } from '../data/encoding-notes.ts';
import type { ParticipantState } from '../participant/state.ts';
import type { OwnRows } from './own-rows.ts';
import { modelOf } from './participant-file.ts';
import type { JoinResult, JoinStatus } from './participation-options.ts';
import type { StateStore } from './ports.ts';

interface Ended {
  readonly reason: JoinResult['reason'];
  readonly key: string | undefined;
  /** As it was before it ended. */
  readonly status: JoinStatus;
  readonly machine: ParticipantState | undefined;
  readonly store: StateStore | undefined;
  readonly rows: OwnRows | undefined;
}

export async function joinResult(ended: Ended): Promise<JoinResult> {
  const { reason, key, status, machine, store, rows } = ended;
  const { participant, federation, round: rounds, base, passes } = status;
  const calibration = store && (await rows?.calibrate(store));
  const model = store && modelOf(store.file);
  const test = model && rows?.measure(model);
  const { classes, target } = store?.file.stored.agreement ?? {};
  const columns = model?.encoding && agreedNotes(model.encoding);
  return {
    participant,
    key,
    federation,
    reason,
    rounds,
    base,
    ...machine?.covered,
    passes,
    ...(calibration && { calibration }),
    test,
    classes,
    target,
    ...(columns && { columns }),
    privacy: machine?.stored.settings?.dp,
    unlearned: store?.file.unlearned,
    state: store?.place ?? '',
  };
}
