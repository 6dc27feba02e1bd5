/** What was read, in numbers that people can check at a glance. */
import { bytes, count, counted, decimal } from '../shared/format.ts';
import { Stat, Stats } from '../shared/stat.tsx';
import type { DataSource, RowsSummary, TargetNote } from './read-rows.ts';
import { classWord } from './words.ts';

interface SummaryProps {
  readonly summary: RowsSummary;
  readonly source: DataSource;
}

const SHOWN_CLASSES = 4;

export function SummaryList({ summary, source }: SummaryProps) {
  const { rows, testRows, columns, target } = summary;
  const texts = columns.filter(({ kind }) => kind === 'text').length;
  const gaps = columns.filter(({ missing }) => missing > 0).length;
  const notes = [
    ...(texts > 0 ? [`${count(texts)} of text`] : []),
    ...(gaps > 0 ? [`${count(gaps)} with gaps`] : []),
  ];
  return (
    <Stats>
      <Stat
        label="Rows"
        value={count(rows)}
        note={
          testRows > 0 ? `${count(testRows)} of them only for testing` : 'Too few to keep some for testing'
        }
      />
      <Stat
        label="Columns to learn from"
        value={count(columns.length)}
        note={notes.join(', ') || 'Numbers'}
      />
      <TargetStat target={target} source={source} />
      <Stat label="Size" value={bytes(summary.bytes)} note="Stays in this browser" />
    </Stats>
  );
}

function TargetStat({ target, source }: { readonly target: TargetNote; readonly source: DataSource }) {
  if (target.kind === 'numbers')
    return (
      <Stat label="To predict" value={`${decimal(target.low)} to ${decimal(target.high)}`} note="A number" />
    );
  const { classes } = target;
  const shown = classes
    .slice(0, SHOWN_CLASSES)
    .map(([name, rows]) => `${classWord(source, name)} ${count(rows)}`);
  const rest = classes.length > SHOWN_CLASSES ? [`${count(classes.length - SHOWN_CLASSES)} more`] : [];
  return (
    <Stat
      label="To predict"
      value={counted(classes.length, 'class', 'classes')}
      note={[...shown, ...rest].join(', ')}
    />
  );
}
