/** Taking part: how it stands, how the models do, what was sent, a row to try, one's own model. */
import { useCell } from '../shared/cell.ts';
import { CompareCard } from './compare-card.tsx';
import type { JoinPage } from './join-page.ts';
import { ModelCard } from './model-card.tsx';
import { ProblemCard } from './problem-card.tsx';
import type { Run } from './run.ts';
import { ScoreStats } from './score-stats.tsx';
import { SentCard } from './sent-card.tsx';
import { StandingPanel } from './standing-panel.tsx';
import { TryCard } from './try-card.tsx';

interface RunViewProps {
  readonly page: JoinPage;
  readonly run: Run;
}

export function RunView({ page, run }: RunViewProps) {
  const state = useCell(run.state);
  const { end, model, history, alone, traffic } = state;
  const actions = {
    reload: () => location.reload(),
    retry: () => page.again(run),
    data: () => page.chooseAgain(run),
    name: () => page.chooseAgain(run),
    'start over': () => page.startOver(run),
  };
  return (
    <div class="run">
      {end?.type === 'stopped' ? (
        <ProblemCard problem={end.problem} level="page" actions={actions} />
      ) : (
        <StandingPanel run={run} state={state} />
      )}
      <ScoreStats history={history} alone={alone} summary={run.summary} />
      <div class="run-grid">
        <div class="run-column">
          <CompareCard history={history} alone={alone} testRows={run.summary.testRows} />
          <TryCard run={run} model={model} />
        </div>
        <div class="run-column">
          <SentCard traffic={traffic} summary={run.summary} />
          <ModelCard page={page} run={run} state={state} />
        </div>
      </div>
    </div>
  );
}
