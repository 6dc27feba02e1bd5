/** Rows with what both models say of them; one of them is looked at more closely, and can be changed. */
import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../shared/badge.tsx';
import { Card } from '../shared/card.tsx';
import { Empty } from '../shared/empty.tsx';
import { count, counted, decimal } from '../shared/format.ts';
import { Segments } from '../shared/segments.tsx';
import { Skeleton } from '../shared/skeleton.tsx';
import { type Column, Table } from '../shared/table.tsx';
import type { Desk } from './desk.ts';
import type { Personalised } from './fit.ts';
import type { PredictedRow } from './predicted-rows.ts';
import { RowDialog } from './row-dialog.tsx';

interface PredictionsProps {
  readonly desk: Desk;
  readonly result: Personalised;
  readonly participant: string;
}

type Filter = 'all' | 'changed';

export function PredictionsCard({ desk, result, participant }: PredictionsProps) {
  const [rows, setRows] = useState<readonly PredictedRow[]>();
  const [filter, setFilter] = useState<Filter>();
  const [open, setOpen] = useState<PredictedRow>();
  useEffect(() => {
    let isCurrent = true;
    desk.work.predictions(participant).then(
      (found) => isCurrent && setRows(found),
      // Another fit is under way, and brings its own.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [desk, result, participant]);
  const isNumber = result.metric === 'rmse';
  const changed = rows?.filter((row) => row.own !== row.shared) ?? [];
  // What is new is more interesting, where there is anything new.
  const chosen = filter ?? (changed.length > 0 && !isNumber ? 'changed' : 'all');
  const shown = chosen === 'changed' ? changed : (rows ?? []);
  return (
    <Card
      title={result.testRows > 0 ? 'Test rows' : 'Rows'}
      note={rows && !isNumber ? changedText(rows.length, changed) : undefined}
      flush
      controls={
        !isNumber && (
          <Segments<Filter>
            label="Which rows"
            value={chosen}
            options={[
              ['all', 'All'],
              ['changed', 'Decided otherwise'],
            ]}
            onChange={(value) => setFilter(value)}
          />
        )
      }
    >
      {!rows ? (
        <Skeleton height="16rem" />
      ) : shown.length === 0 ? (
        <Empty compact icon="check" title="No row is decided otherwise">
          <p>The personal model says the same as the shared one for all of them.</p>
        </Empty>
      ) : (
        <Table
          label="Predictions, row by row"
          columns={columnsOf(isNumber)}
          rows={shown}
          keyOf={(row) => String(row.place)}
          onOpen={(row) => setOpen(row)}
          maxHeight="460px"
          minWidth="352px"
        />
      )}
      {open && (
        <RowDialog
          desk={desk}
          columns={result.columns}
          participant={participant}
          row={open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Card>
  );
}

function changedText(all: number, changed: readonly PredictedRow[]): string {
  const better = changed.filter(({ own, target }) => own === target).length;
  const worse = changed.filter(({ shared, target }) => shared === target).length;
  return changed.length === 0 ? counted(all, 'row') : `${count(better)} corrected, ${count(worse)} spoilt`;
}

function columnsOf(isNumber: boolean): Column<PredictedRow>[] {
  const text = (value: string | number) => (typeof value === 'number' ? decimal(value, 4) : value);
  const align = isNumber ? { align: 'end' as const } : {};
  return [
    { key: 'line', label: 'Line', width: '64px', cell: ({ line }) => count(line) },
    {
      key: 'target',
      label: 'In your data',
      ...align,
      cell: ({ target }) => (isNumber ? decimal(Number(target), 4) : target),
    },
    {
      key: 'shared',
      label: 'Shared model',
      ...align,
      cell: ({ shared, target }) => (
        <Said text={text(shared)} isRight={isNumber ? undefined : shared === target} />
      ),
    },
    {
      key: 'own',
      label: 'Your model',
      ...align,
      cell: ({ own, target }) => <Said text={text(own)} isRight={isNumber ? undefined : own === target} />,
    },
  ];
}

function Said({ text, isRight }: { readonly text: string; readonly isRight: boolean | undefined }) {
  if (isRight === undefined) return <>{text}</>;
  return (
    <Badge tone={isRight ? 'ok' : 'bad'} title={isRight ? 'Right' : 'Wrong'}>
      {text}
      <span class="visually-hidden">{isRight ? ', right' : ', wrong'}</span>
    </Badge>
  );
}
