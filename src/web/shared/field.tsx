import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** What a control needs to belong to its label, its help and its error. */
export interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean;
}

interface FieldProps {
  readonly label: string;
  readonly help?: ComponentChildren;
  readonly error?: string | undefined;
  children(control: ControlProps): ComponentChildren;
}

export function Field({ label, help, error, children }: FieldProps) {
  const id = useId();
  const described = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`];
  const control = {
    id,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error !== undefined,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(control)}
      {help !== undefined && (
        <p class="field-help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  onChange(value: string): void;
}

/** One of a few values, with its label. */
export function Select({ label, value, options, onChange }: SelectProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          class="input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
