/** The numbers to see first. */
import { useCell } from '../../shared/cell.ts';
import { bytes, count, percent, scientific, UNKNOWN } from '../../shared/format.ts';
import { Meter } from '../../shared/meter.tsx';
import { useNow } from '../../shared/now.ts';
import { Stat, Stats } from '../../shared/stat.tsx';
import type { LiveFederation } from '../data/live-federation.ts';
import { metricName, metricText } from '../data/metric.ts';
import { optionsOf } from '../data/settings-view.ts';

export function KeyNumbers({ live }: { readonly live: LiveFederation }) {
  const state = useCell(live.state)!;
  const history = useCell(live.history);
  const { participants, relativeGap, round, aggregated, traffic } = state;
  const { stop } = optionsOf(state);
  const tests = history.runs.at(-1)?.points.findLast((point) => point.tests)?.tests;
  useNow();
  const rate = live.traffic.bytesPerSecond(live.serverNow());
  return (
    <Stats>
      <Stat
        label="Round"
        value={round === 0 ? UNKNOWN : count(round)}
        note={`${count(aggregated)} completed in this run`}
      />
      <Stat
        label="Relative duality gap"
        value={scientific(relativeGap)}
        of={`target ${scientific(stop.gap)}`}
        title="How far the joint model is at most from the optimum, relative to its objective"
      >
        <Meter
          share={progress(relativeGap, stop.gap)}
          tone={isReached(relativeGap, stop.gap) ? 'ok' : 'accent'}
        />
      </Stat>
      <Stat
        label={tests ? `${metricName(tests.metric)}, own models` : 'Test metric, own models'}
        value={tests ? metricText(tests.metric, tests.own.mean) : UNKNOWN}
        note={tests ? `${count(tests.participants)} report it` : 'nobody reports one'}
      >
        {tests?.own.worst != null && (
          <div class="stat-note">worst {metricText(tests.metric, tests.own.worst)}</div>
        )}
      </Stat>
      <Stat
        label="Participants connected"
        value={count(participants.connected)}
        of={`of ${count(participants.joined)}`}
        note={`${count(participants.enrolled)} enrolled, ${count(participants.left)} left`}
      >
        <Meter
          share={participants.joined === 0 ? 0 : participants.connected / participants.joined}
          tone="ok"
        />
      </Stat>
      <Stat
        label="Traffic since start"
        value={bytes(traffic.inBytes + traffic.outBytes)}
        of={`${bytes(rate)}/s`}
        note={`${bytes(traffic.inBytes)} in, ${bytes(traffic.outBytes)} out`}
      />
      {state.privacy && (
        <Stat
          label="Privacy spent"
          value={`ε ${state.privacy.epsilon.toPrecision(3)}`}
          of={`δ ${scientific(state.privacy.delta)}`}
          note={budgetNote(state.privacy.epsilon, optionsOf(state).dp?.epsilon)}
        />
      )}
    </Stats>
  );
}

function budgetNote(spent: number, budget: number | undefined): string {
  return budget === undefined ? 'no limit set' : `${percent(spent / budget, 0)} of ε ${budget}`;
}

/** From 1 down to the target, by powers of ten. */
function progress(gap: number | null, target: number): number {
  if (gap === null || gap <= 0 || target <= 0) return gap === 0 ? 1 : 0;
  return Math.log10(Math.min(1, gap)) / Math.log10(Math.min(0.1, target));
}

function isReached(gap: number | null, target: number): boolean {
  return gap !== null && gap <= target;
}
