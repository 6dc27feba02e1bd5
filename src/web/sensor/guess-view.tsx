/** What the shared model and one's own make of the last seconds. */
import type { SessionState } from './session.ts';

export function GuessView({ state }: { readonly state: SessionState }) {
  const { guesses, shared, recording } = state;
  return (
    <dl class="guess">
      <div>
        <dt>The shared model says</dt>
        <dd>{shared ? (guesses?.shared.activity ?? '…') : 'being trained…'}</dd>
      </div>
      <div data-own>
        <dt>Your model says</dt>
        <dd>{guesses?.own?.activity ?? (state.recordings.length > 0 ? '…' : 'record something first')}</dd>
      </div>
      {recording && (
        <div>
          <dt>You say</dt>
          <dd>{recording.activity}</dd>
        </div>
      )}
    </dl>
  );
}
