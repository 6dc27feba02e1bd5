/** The row that is being tried, and what the newest model makes of it: asked of the worker again whenever one of them changes. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Model } from '../../solver/model.ts';
import { plainMessage } from '../shared/plain-message.ts';
import type { Tried } from './row-values.ts';
import type { TestRow } from './rows-work.ts';
import type { Run } from './run.ts';

export interface TriedRow {
  readonly row: TestRow | undefined;
  readonly tried: Tried | undefined;
  readonly isChanged: boolean;
  readonly failure: string | undefined;
  change(column: number, value: number | string | null): void;
}

export function useTriedRow(run: Run, model: Model, place: number): TriedRow {
  const [row, setRow] = useState<TestRow>();
  const [isChanged, setChanged] = useState(false);
  const [tried, setTried] = useState<Tried>();
  const [failure, setFailure] = useState<string>();
  const asked = useRef(0);
  useEffect(() => {
    void run.rows.testRow(place).then((found) => {
      setRow(found);
      setChanged(false);
    });
  }, [run, place]);
  useEffect(() => {
    if (!row) return;
    const ticket = ++asked.current;
    run.rows.tryRow(model, row.values).then(
      (result) => {
        if (ticket !== asked.current) return;
        setTried(result);
        setFailure(undefined);
      },
      (error: Error) => ticket === asked.current && setFailure(plainMessage(error.message)),
    );
  }, [run, model, row]);
  const change = (column: number, value: number | string | null) => {
    setChanged(true);
    setRow((last) => last && { ...last, values: last.values.map((old, c) => (c === column ? value : old)) });
  };
  return { row, tried, isChanged, failure, change };
}
