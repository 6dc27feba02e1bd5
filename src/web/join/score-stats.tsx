/** The three models in a number each. */
import { UNKNOWN } from '../shared/format.ts';
import { Stat, Stats } from '../shared/stat.tsx';
import type { Alone } from './compare.ts';
import type { RowsSummary } from './read-rows.ts';
import type { History } from './saved.ts';
import { gainNote, gainText, scoreText, testNote } from './scores.ts';

interface ScoreProps {
  readonly history: History | undefined;
  readonly alone: Alone | undefined;
  readonly summary: RowsSummary;
}

export function ScoreStats({ history, alone, summary: { testRows } }: ScoreProps) {
  const metric = history?.metric ?? 'balancedAccuracy';
  const text = (value: number | null | undefined) => scoreText(metric, value);
  const last = (values: readonly (number | null)[] | undefined) => values?.[values.length - 1];
  const own = last(history?.own);
  const without = alone?.type === 'measured' ? alone.value : undefined;
  const isKnown = history !== undefined;
  return (
    <Stats>
      <Stat
        label="Your model"
        value={<span class="score-own">{text(own)}</span>}
        note={isKnown ? testNote(metric, testRows) : 'After the first round'}
      />
      <Stat label="Shared model" value={text(last(history?.shared))} note="The same for everybody" />
      <Stat
        label="Training alone"
        value={alone?.type === 'impossible' ? UNKNOWN : text(without)}
        note={alone?.type === 'impossible' ? 'Your rows alone do not suffice' : 'From your rows only'}
      />
      <Stat
        label="Gained by taking part"
        value={gainText(metric, own, without)}
        note={gainNote(metric, own, without)}
      />
    </Stats>
  );
}
