/** What keeps a federation from training, and what an operator should know at once. */
import { Banner } from '../../shared/banner.tsx';
import { useCell } from '../../shared/cell.ts';
import { count, counted } from '../../shared/format.ts';
import type { LiveFederation } from '../data/live-federation.ts';
import { endText } from '../data/phase.ts';
import { optionsOf } from '../data/settings-view.ts';

export function Notices({ live }: { readonly live: LiveFederation }) {
  const state = useCell(live.state)!;
  const { phase, paused, storeWorks, waitingFor, participants, finish } = state;
  const { minParticipants } = optionsOf(state);
  const lacking = minParticipants - participants.joined;
  return (
    <>
      {!storeWorks && (
        <Banner tone="bad" icon="alert" role="alert">
          The store fails: nothing is accepted and nothing is lost. Training goes on when it works again.
        </Banner>
      )}
      {paused && (
        <Banner tone="warn" icon="pause">
          Paused: no round closes and no deadline passes until somebody resumes it.
        </Banner>
      )}
      {phase === 'gathering' && (
        <Banner tone="accent" icon="people">
          {lacking > 0
            ? `Training starts when ${counted(minParticipants, 'participant')} have joined: ${count(participants.joined)} so far.`
            : waitingFor
              ? `Training waits for ${waitingFor}.`
              : 'Participants agree on scaling and targets, then training starts.'}
        </Banner>
      )}
      {phase === 'finished' && (
        <Banner tone="plain" icon={finish === 'gap' ? 'check' : 'finish'}>
          {endText(finish)} {restText(finish)}
        </Banner>
      )}
    </>
  );
}

function restText(finish: string | null): string {
  if (finish === 'operator') return 'An operator can reopen it.';
  if (finish === 'budget') return '';
  return 'Training rests: newcomers and changed rows wake it.';
}
