/** One row: what both models say, what speaks for and against it, and what happens if a value is another one. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Contributions } from '../join/contributions.tsx';
import type { DataSource } from '../join/read-rows.ts';
import type { RowValues, Tried } from '../join/row-values.ts';
import { Verdict } from '../join/verdict.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { plainMessage } from '../shared/plain-message.ts';
import { Skeleton } from '../shared/skeleton.tsx';
import type { Desk } from './desk.ts';
import type { Personalised } from './fit.ts';
import type { PredictedRow } from './predicted-rows.ts';

interface RowDialogProps {
  readonly desk: Desk;
  /** Of the file, as they were read. */
  readonly columns: Personalised['columns'];
  readonly participant: string;
  readonly row: PredictedRow;
  onClose(): void;
}

export function RowDialog({ desk, columns, participant, row, onClose }: RowDialogProps) {
  const [values, setValues] = useState<RowValues>();
  const [isChanged, setChanged] = useState(false);
  const [tried, setTried] = useState<Tried>();
  const [failure, setFailure] = useState<string>();
  const [extra, setExtra] = useState<readonly string[]>([]);
  const asked = useRef(0);
  useEffect(() => {
    void desk.work.rowValues(row.place).then(setValues);
  }, [desk, row]);
  useEffect(() => {
    if (!values) return;
    const ticket = ++asked.current;
    desk.work.tryRow(participant, values).then(
      (found) => {
        if (ticket !== asked.current) return;
        setTried(found);
        setFailure(undefined);
      },
      (error: Error) => ticket === asked.current && setFailure(plainMessage(error.message)),
    );
  }, [desk, participant, values]);
  const change = (column: number, value: number | string | null) => {
    setChanged(true);
    setValues((last) => last?.map((old, c) => (c === column ? value : old)));
  };
  const { rows, choices, note } = desk.state.value;
  if (!rows || !choices || !note) return null;
  const source: DataSource = { kind: 'file', ...rows, choices };
  return (
    <Dialog
      title={isChanged ? `Line ${row.line}, changed by you` : `Line ${row.line}`}
      size="wide"
      onClose={onClose}
    >
      {failure !== undefined && <p class="field-error">{failure}</p>}
      {values && tried ? (
        <>
          <Verdict tried={tried} target={isChanged ? undefined : row.target} source={source} />
          <Contributions
            model={note}
            columns={columns}
            extra={extra}
            values={values}
            isChanged={isChanged}
            tried={tried}
            source={source}
            onChange={change}
            onAdd={(column) => setExtra([column, ...extra.filter((other) => other !== column)])}
          />
        </>
      ) : (
        <Skeleton height="18rem" />
      )}
    </Dialog>
  );
}
