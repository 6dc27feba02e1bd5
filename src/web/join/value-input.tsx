import { useEffect, useState } from 'preact/hooks';
import { parseDecimal } from '../../data/number.ts';
import { decimal } from '../shared/format.ts';

interface ValueInputProps {
  readonly column: string;
  readonly kind: 'numbers' | 'text';
  /** null: not known. */
  readonly value: number | string | null;
  onChange(value: number | string | null): void;
}

/** The value of a column in a row: a number stays a number, an empty field is a gap. */
export function ValueInput({ column, kind, value, onChange }: ValueInputProps) {
  const [text, setText] = useState(textOf(value));
  const [isWrong, setWrong] = useState(false);
  // Another row; what is being typed, such as "0.", stays as it is.
  useEffect(() => {
    if (!Object.is(readValue(text, kind), value)) setText(textOf(value));
  }, [value]);
  const take = (given: string) => {
    setText(given);
    const read = readValue(given, kind);
    setWrong(Number.isNaN(read));
    if (!Number.isNaN(read)) onChange(read);
  };
  return (
    <label class="value">
      <span>{column}</span>
      <input
        class="input"
        value={text}
        placeholder="unknown"
        aria-invalid={isWrong}
        autocomplete="off"
        inputMode={kind === 'text' ? 'text' : 'decimal'}
        onInput={(event) => take(event.currentTarget.value)}
      />
    </label>
  );
}

function textOf(value: number | string | null): string {
  return value === null ? '' : typeof value === 'number' ? decimal(value, 6) : value;
}

/** NaN: not a number. */
function readValue(text: string, kind: 'numbers' | 'text'): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return kind === 'text' ? trimmed : parseDecimal(trimmed.replace(',', '.'));
}
