/** Accuracy and gap over rounds or time, of one run. */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { useCell } from '../../shared/cell.ts';
import { ChartCard } from '../../shared/chart.tsx';
import { Command } from '../../shared/command.tsx';
import { Empty } from '../../shared/empty.tsx';
import { counted, decimal, scientific } from '../../shared/format.ts';
import { Segments } from '../../shared/segments.tsx';
import { type Along, gapCurve, metricCurve } from '../data/curves.ts';
import type { Run } from '../data/history.ts';
import type { LiveFederation } from '../data/live-federation.ts';
import { metricName, metricText } from '../data/metric.ts';
import { compareHash } from '../data/route.ts';
import { optionsOf } from '../data/settings-view.ts';

const ALONG = [
  ['round', 'Rounds'],
  ['elapsed', 'Time'],
] as const;

export function Curves({ live }: { readonly live: LiveFederation }) {
  const [along, setAlong] = useState<Along>('round');
  const [chosen, setChosen] = useState<number>();
  const history = useCell(live.history);
  const { runs, rounds } = history;
  const run = runs.find(({ number }) => number === chosen) ?? runs.at(-1);
  const tools = (
    <div class="curves-tools" key="tools">
      {runs.length > 1 && run && <RunChoice runs={runs} run={run} name={live.name} onChange={setChosen} />}
      <Segments<Along> label="Horizontal axis" options={ALONG} value={along} onChange={setAlong} />
    </div>
  );
  const curve = { live, run, along, rounds };
  const hasTests = run?.points.some(({ tests }) => tests);
  // What there is to see comes first, with the choices for both.
  return (
    <section class="curves" aria-label="Progress">
      {hasTests ? (
        <>
          <MetricChart {...curve} tools={tools} />
          <GapChart {...curve} />
        </>
      ) : (
        <>
          <GapChart {...curve} tools={tools} />
          <MetricChart {...curve} />
        </>
      )}
    </section>
  );
}

interface ChoiceProps {
  readonly runs: readonly Run[];
  readonly run: Run;
  readonly name: string;
  onChange(run: number | undefined): void;
}

function RunChoice({ runs, run, name, onChange }: ChoiceProps) {
  const last = runs.length;
  return (
    <div class="run-choice">
      <label>
        Run{' '}
        <select
          class="input"
          value={run.number}
          onChange={(event) => {
            const number = Number(event.currentTarget.value);
            onChange(number === last ? undefined : number);
          }}
        >
          {runs.toReversed().map(({ number, points }) => (
            <option key={number} value={number}>
              {number === last ? `${number}, the last` : number} ({counted(points.length, 'round')})
            </option>
          ))}
        </select>
      </label>
      <a href={compareHash(runs.slice(-4).map(({ number }) => ({ name, run: number })))}>Compare runs</a>
    </div>
  );
}

interface CurveProps {
  readonly live: LiveFederation;
  readonly run: Run | undefined;
  readonly along: Along;
  /** Changes with every closed round: runs grow in place. */
  readonly rounds: number;
  readonly tools?: ComponentChildren;
}

function MetricChart({ live, run, along, rounds, tools }: CurveProps) {
  const state = useCell(live.state)!;
  const { metric = 'balancedAccuracy', ...curve } = useMemo(
    () => metricCurve(run, along),
    [run, along, rounds],
  );
  const last = run?.points.findLast(({ tests }) => tests)?.tests;
  const name = metricName(metric);
  return (
    <ChartCard
      {...curve}
      title={last ? name : 'Accuracy'}
      note={last && `reported by ${counted(last.participants, 'participant')}`}
      sync="federation"
      height={190}
      controls={tools}
      y={{
        scale: 'linear',
        format: (value) => metricText(metric, value),
        ...(metric !== 'rmse' && { most: 1 }),
      }}
      summary={
        last
          ? `${name} over ${along === 'round' ? 'rounds' : 'time'}: own models ${metricText(metric, last.own.mean)} on average`
          : 'No test results'
      }
      empty={last ? undefined : <NoTests isPrivate={optionsOf(state).dp !== undefined} />}
    />
  );
}

function NoTests({ isPrivate }: { readonly isPrivate: boolean }) {
  if (isPrivate) {
    return (
      <Empty title="No test results under differential privacy" icon="chart" compact>
        <p>They would say more about single participants than the noise allows.</p>
      </Empty>
    );
  }
  return (
    <Empty title="No participant reports test results" icon="chart" compact>
      <p>
        Participants keep rows to test with and may report how well they are predicted, without showing the
        rows:
      </p>
      <Command
        text="kindred join <url> --data mine.csv --state mine --test-fraction 0.3 --report-tests"
        label="Copy the command"
      />
    </Empty>
  );
}

function GapChart({ live, run, along, rounds, tools }: CurveProps) {
  const state = useCell(live.state)!;
  const { stop, dp } = optionsOf(state);
  const curve = useMemo(() => gapCurve(run, along), [run, along, rounds]);
  const last = run?.points.findLast(({ gap }) => gap !== null);
  const target = stop.gap > 0 ? { value: stop.gap, label: `target ${decimal(stop.gap)}` } : undefined;
  return (
    <ChartCard
      {...curve}
      title="Relative duality gap"
      sync="federation"
      height={190}
      controls={tools}
      line={target}
      y={{ scale: 'log', format: (value) => scientific(value) }}
      summary={
        last
          ? `Relative duality gap ${scientific(last.gap)} after round ${last.round}, target ${scientific(stop.gap)}`
          : 'No gap is known yet'
      }
      empty={last ? undefined : <NoGap isPrivate={dp !== undefined} />}
    />
  );
}

function NoGap({ isPrivate }: { readonly isPrivate: boolean }) {
  return (
    <Empty
      title={isPrivate ? 'No gap under differential privacy' : 'No round has closed yet'}
      icon="chart"
      compact
    >
      <p>
        {isPrivate
          ? 'Exact bounds would say more about single participants than the noise allows.'
          : 'The curve begins with the first round.'}
      </p>
    </Empty>
  );
}
