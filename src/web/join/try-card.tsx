/** A row to try: one of the test rows, or changed by hand, and what the model makes of it, with what speaks for it and against it. */
import { useEffect, useState } from 'preact/hooks';
import type { Model } from '../../solver/model.ts';
import { Button } from '../shared/button.tsx';
import { Card } from '../shared/card.tsx';
import { Empty } from '../shared/empty.tsx';
import { Contributions } from './contributions.tsx';
import type { Run } from './run.ts';
import { useTriedRow } from './tried-row.ts';
import { Verdict } from './verdict.tsx';

interface TryCardProps {
  readonly run: Run;
  readonly model: Model | undefined;
}

export function TryCard({ run, model }: TryCardProps) {
  if (!model)
    return (
      <Card title="Try a row">
        <Empty compact icon="play" title="No model yet">
          <p>After the first round you can see what it makes of your rows, and why.</p>
        </Empty>
      </Card>
    );
  return <TryRow run={run} model={model} />;
}

function TryRow({ run, model }: { readonly run: Run; readonly model: Model }) {
  const [place, setPlace] = useState(0);
  const { row, tried, isChanged, change, failure } = useTriedRow(run, model, place);
  const [extra, setExtra] = useState<readonly string[]>([]);
  useEffect(() => setExtra([]), [place]);
  const { source } = run.saved;
  return (
    <Card
      title="Try a row"
      note={isChanged ? 'Changed by you' : `Test row ${place + 1} of ${Math.max(1, run.summary.testRows)}`}
      controls={
        <Button icon="retry" onClick={() => setPlace((place + 1) % Math.max(1, run.summary.testRows))}>
          Another row
        </Button>
      }
    >
      {failure !== undefined && <p class="field-error">{failure}</p>}
      {row && tried && (
        <>
          <Verdict tried={tried} target={isChanged ? undefined : row.target} source={source} />
          <Contributions
            key={place}
            model={model}
            columns={run.summary.columns}
            extra={extra}
            values={row.values}
            tried={tried}
            source={source}
            isChanged={isChanged}
            onChange={change}
            onAdd={(column) => setExtra([column, ...extra.filter((other) => other !== column)])}
          />
        </>
      )}
    </Card>
  );
}
