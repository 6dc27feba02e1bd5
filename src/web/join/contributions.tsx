/**
 * What speaks for a prediction and what against it: the strongest columns of the row, each with its value, which can be changed, and a bar. Once
 * a value is changed the columns stay where they are, so that nothing moves under the hand.
 */
import { useRef, useState } from 'preact/hooks';
import type { RowExplanation } from '../../explain/explain-row.ts';
import type { Model } from '../../solver/model.ts';
import { count, decimal } from '../shared/format.ts';
import { byColumn } from './feature-columns.ts';
import type { ColumnNote, DataSource } from './read-rows.ts';
import type { RowValues, Tried } from './row-values.ts';
import { ValueInput } from './value-input.tsx';
import { classWord } from './words.ts';

interface ContributionsProps {
  readonly model: Pick<Model, 'encoding'>;
  readonly columns: readonly ColumnNote[];
  /** Asked for by name; first. */
  readonly extra: readonly string[];
  readonly values: RowValues;
  readonly tried: Tried;
  readonly source: DataSource;
  /** Somebody is at it. */
  readonly isChanged: boolean;
  onChange(column: number, value: number | string | null): void;
  onAdd(column: string): void;
}

const SHOWN = 8;

export function Contributions(props: ContributionsProps) {
  const { model, columns, extra, values, tried, source, isChanged, onChange, onAdd } = props;
  const { explained } = tried;
  const names = columns.map(({ name }) => name);
  const sums = explained && byColumn(model, explained.contributions);
  const newest = (sums ? [...sums.keys()] : names).slice(0, SHOWN);
  const kept = useRef(newest);
  if (!isChanged) kept.current = newest;
  const strongest = kept.current;
  const shown = [...extra, ...strongest.filter((name) => !extra.includes(name))].filter((name) =>
    names.includes(name),
  );
  const largest = shown.reduce((most, name) => Math.max(most, Math.abs(sums?.get(name) ?? 0)), 1e-12);
  return (
    <div class="why">
      {explained ? (
        <Sides explained={explained} source={source} />
      ) : (
        <p class="fine">This model is not linear: no single column speaks for or against.</p>
      )}
      <ul class="why-rows">
        {shown.map((name) => (
          <li key={name}>
            <ValueInput
              column={name}
              kind={columns[names.indexOf(name)].kind}
              value={values[names.indexOf(name)]}
              onChange={(value) => onChange(names.indexOf(name), value)}
            />
            {sums && <Bar value={sums.get(name) ?? 0} largest={largest} />}
          </li>
        ))}
      </ul>
      {explained && <Rest explained={explained} sums={sums!} shown={shown} source={source} />}
      {columns.length > shown.length && <AddColumn columns={names} onAdd={onAdd} />}
    </div>
  );
}

function Sides({ explained, source }: { readonly explained: RowExplanation; readonly source: DataSource }) {
  const [minus, plus] =
    explained.for === undefined
      ? ['Lower', 'Higher']
      : [
          explained.against === undefined
            ? `Against ${classWord(source, explained.for)}`
            : classWord(source, explained.against),
          `For ${classWord(source, explained.for)}`,
        ];
  return (
    <p class="why-sides" aria-hidden="true">
      <span>{minus}</span>
      <span>{plus}</span>
    </p>
  );
}

function Bar({ value, largest }: { readonly value: number; readonly largest: number }) {
  const share = Math.min(1, Math.abs(value) / largest);
  return (
    <span class="why-bar" data-side={value < 0 ? 'against' : 'for'}>
      <i style={{ width: `${50 * share}%` }} aria-hidden="true" />
      <span class="why-number">{signed(value)}</span>
    </span>
  );
}

function signed(value: number): string {
  return value > 0 ? `+${decimal(value, 2)}` : decimal(value, 2).replace('-', '−');
}

interface RestProps {
  readonly explained: RowExplanation;
  readonly sums: ReadonlyMap<string, number>;
  readonly shown: readonly string[];
  readonly source: DataSource;
}

function Rest({ explained, sums, shown, source }: RestProps) {
  const others = [...sums].filter(([name]) => !shown.includes(name));
  const sum = others.reduce((total, [, value]) => total + value, 0);
  return (
    <p class="fine">
      {others.length > 0 && `${count(others.length)} other columns ${signed(sum)}, `}
      {others.length > 0 ? 'base' : 'Base'} {signed(explained.base)}. Sum <b>{signed(explained.decision)}</b>
      {outcomeOf(explained, source)}
    </p>
  );
}

function outcomeOf({ for: own, against, decision }: RowExplanation, source: DataSource): string {
  if (own === undefined) return '.';
  if (against !== undefined) return `: ahead of ${classWord(source, against)}.`;
  const name = classWord(source, own);
  return decision > 0 ? `, above 0: ${name}.` : `, not above 0: not ${name}.`;
}

interface AddProps {
  readonly columns: readonly string[];
  onAdd(column: string): void;
}

function AddColumn({ columns, onAdd }: AddProps) {
  const [text, setText] = useState('');
  const add = (value: string) => {
    if (columns.includes(value)) {
      onAdd(value);
      setText('');
    } else setText(value);
  };
  return (
    <label class="why-add">
      Another column
      <input
        class="input"
        list="all-columns"
        value={text}
        placeholder={columns[0]}
        autocomplete="off"
        onInput={(event) => setText(event.currentTarget.value)}
        onChange={(event) => add(event.currentTarget.value)}
      />
      <datalist id="all-columns">
        {columns.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
