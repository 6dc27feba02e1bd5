/** Runs laid over each other: of several federations, or earlier ones of the same. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FederationBrief } from '../../../node/server/routes/federations.ts';
import { ApiFailure, ask } from '../../shared/api.ts';
import { Card } from '../../shared/card.tsx';
import { ChartCard } from '../../shared/chart.tsx';
import { Empty } from '../../shared/empty.tsx';
import { count, counted, dateTime, duration, scientific } from '../../shared/format.ts';
import { Segments } from '../../shared/segments.tsx';
import { Skeleton } from '../../shared/skeleton.tsx';
import { type Column, Table } from '../../shared/table.tsx';
import { type Along, type NamedRun, overlaid } from '../data/curves.ts';
import type { Run } from '../data/history.ts';
import { metricName, metricText } from '../data/metric.ts';
import { fetchRuns } from '../data/past-runs.ts';
import { type Chosen, compareHash } from '../data/route.ts';
import { Refused } from '../shell/stream-state.tsx';

type Runs = ReadonlyMap<string, readonly Run[]>;

export function ComparePage({ chosen }: { readonly chosen: readonly Chosen[] }) {
  const [along, setAlong] = useState<Along>('round');
  const { names, runs, failure } = useRuns();
  if (failure) return <Refused why={failure} missing={null} />;
  const shown = runs ? chosenRuns(runs, chosen) : [];
  return (
    <>
      <div class="page-head">
        <div class="page-title">
          <h1>Compare runs</h1>
          <p>A run begins with the first round, and again when training wakes after a rest.</p>
        </div>
        <Segments<Along>
          label="Horizontal axis"
          options={[
            ['round', 'Rounds'],
            ['elapsed', 'Time'],
          ]}
          value={along}
          onChange={setAlong}
        />
      </div>
      {!runs || !names ? (
        <Skeleton height="320px" />
      ) : (
        <div class="columns" data-side="start">
          <RunPicker names={names} runs={runs} chosen={chosen} />
          <div class="curves">
            {shown.length === 0 ? <NothingChosen /> : <Overlay runs={shown} along={along} />}
          </div>
        </div>
      )}
    </>
  );
}

function useRuns() {
  const [names, setNames] = useState<readonly string[]>();
  const [runs, setRuns] = useState<Runs>();
  const [failure, setFailure] = useState<ApiFailure>();
  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      const { federations } = await ask<{ federations: FederationBrief[] }>('/v1/federations', stop);
      setNames(federations.map(({ name }) => name));
      const found = new Map<string, readonly Run[]>();
      for (const { name } of federations) found.set(name, await fetchRuns(name, stop.signal));
      setRuns(found);
    };
    load().catch((error: unknown) => {
      if (!stop.signal.aborted)
        setFailure(error instanceof ApiFailure ? error : new ApiFailure('FAILED', String(error)));
    });
    return () => stop.abort();
  }, []);
  return { names, runs, failure };
}

function chosenRuns(runs: Runs, chosen: readonly Chosen[]): NamedRun[] {
  return chosen.flatMap(({ name, run }) => {
    const all = runs.get(name) ?? [];
    const found = run === 'last' ? all.at(-1) : all.find(({ number }) => number === run);
    return found ? [{ label: labelOf(name, found, all.length), run: found }] : [];
  });
}

function labelOf(name: string, { number }: Run, all: number): string {
  return all > 1 ? `${name}, run ${number}` : name;
}

interface PickerProps {
  readonly names: readonly string[];
  readonly runs: Runs;
  readonly chosen: readonly Chosen[];
}

function RunPicker({ names, runs, chosen }: PickerProps) {
  const isChosen = (name: string, { number }: Run, all: number) =>
    chosen.some((one) => one.name === name && (one.run === number || (one.run === 'last' && number === all)));
  const toggle = (name: string, run: Run, all: number) => {
    const others = chosen.filter(
      (one) => one.name !== name || (one.run !== run.number && !(one.run === 'last' && run.number === all)),
    );
    location.hash = compareHash(isChosen(name, run, all) ? others : [...others, { name, run: run.number }]);
  };
  return (
    <Card title="Runs" note={`${counted(chosen.length, 'run')} chosen`}>
      {names.length === 0 && <p class="small">There is no federation yet.</p>}
      {names.map((name) => {
        const all = runs.get(name) ?? [];
        return (
          <fieldset class="run-list" key={name}>
            <legend>{name}</legend>
            {all.length === 0 && <p class="small">No round has closed.</p>}
            {all.toReversed().map((run) => (
              <label class="check" key={run.number}>
                <input
                  type="checkbox"
                  checked={isChosen(name, run, all.length)}
                  onChange={() => toggle(name, run, all.length)}
                />
                <span>
                  Run {run.number}
                  <small>
                    {counted(run.points.length, 'round')}, {dateTime(run.points[0].closedMs)}
                  </small>
                </span>
              </label>
            ))}
          </fieldset>
        );
      })}
    </Card>
  );
}

function NothingChosen() {
  return (
    <Card title="Gap and accuracy">
      <Empty title="Choose runs to compare" icon="chart">
        <p>Their curves are laid over each other, each from its own beginning.</p>
      </Empty>
    </Card>
  );
}

function Overlay({ runs, along }: { readonly runs: readonly NamedRun[]; readonly along: Along }) {
  const key = runs.map(({ label }) => label).join('\n');
  const gap = useMemo(() => overlaid(runs, along, 'gap'), [key, along]);
  const metrics = useMemo(() => overlaid(runs, along, 'metric'), [key, along]);
  const metric = lastTests(runs)?.metric;
  const names = runs.map(({ label }) => label).join('; ');
  return (
    <>
      <ChartCard
        {...gap}
        title="Relative duality gap"
        sync="compare"
        y={{ scale: 'log', format: (value) => scientific(value) }}
        summary={`Relative duality gap of ${names}`}
      />
      {metric && (
        <ChartCard
          {...metrics}
          title={`${metricName(metric)}, own models`}
          sync="compare"
          y={{
            scale: 'linear',
            format: (value) => metricText(metric, value),
            ...(metric !== 'rmse' && { most: 1 }),
          }}
          summary={`${metricName(metric)} of ${names}`}
        />
      )}
      <Card title="In numbers" flush>
        <Table
          label="Runs in numbers"
          columns={COLUMNS}
          rows={runs}
          keyOf={({ label }) => label}
          minWidth="620px"
        />
      </Card>
    </>
  );
}

function lastTests(runs: readonly NamedRun[]) {
  for (const { run } of runs) {
    const tests = run.points.findLast((point) => point.tests)?.tests;
    if (tests) return tests;
  }
  return undefined;
}

const COLUMNS: readonly Column<NamedRun>[] = [
  { key: 'run', label: 'Run', cell: ({ label }) => label },
  {
    key: 'rounds',
    label: 'Rounds',
    width: '88px',
    align: 'end',
    cell: ({ run }) => count(run.points.length),
  },
  { key: 'took', label: 'Took', width: '110px', align: 'end', cell: ({ run }) => duration(tookMs(run)) },
  {
    key: 'gap',
    label: 'Last gap',
    width: '110px',
    align: 'end',
    cell: ({ run }) => scientific(lastGap(run)),
  },
  { key: 'metric', label: 'Own models', width: '120px', align: 'end', cell: ({ run }) => lastMetric(run) },
];

function tookMs({ points }: Run): number {
  return points.at(-1)!.closedMs - points[0].closedMs;
}

function lastGap({ points }: Run): number | null {
  return points.findLast(({ gap }) => gap !== null)?.gap ?? null;
}

function lastMetric({ points }: Run): string {
  const tests = points.findLast((point) => point.tests)?.tests;
  return tests ? metricText(tests.metric, tests.own.mean) : '–';
}
