/** What the model says of a row, beside what the shared model says and what is true. */
import { Badge } from '../shared/badge.tsx';
import { decimal } from '../shared/format.ts';
import type { DataSource } from './read-rows.ts';
import type { Tried } from './row-values.ts';
import { classWord } from './words.ts';

interface VerdictProps {
  readonly tried: Tried;
  /** As in the data; undefined: the row is not in the data. */
  readonly target: string | undefined;
  readonly source: DataSource;
}

export function Verdict({ tried: { own, shared }, target, source }: VerdictProps) {
  const text = (value: string | number) =>
    typeof value === 'number' ? decimal(value, 4) : classWord(source, value);
  const isRight = typeof own === 'string' && target !== undefined ? own === target : undefined;
  return (
    <dl class="verdict" aria-live="polite">
      <div>
        <dt>Your model says</dt>
        <dd class="verdict-own">{text(own)}</dd>
      </div>
      {shared !== undefined && (
        <div>
          <dt>The shared model says</dt>
          <dd>{text(shared)}</dd>
        </div>
      )}
      <div>
        <dt>In your data</dt>
        <dd>
          {target === undefined
            ? 'not in your data'
            : typeof own === 'number'
              ? target
              : classWord(source, target)}{' '}
          {isRight !== undefined && (
            <Badge tone={isRight ? 'ok' : 'bad'}>{isRight ? 'Right' : 'Wrong'}</Badge>
          )}
        </dd>
      </div>
    </dl>
  );
}
