/** How long rounds stay open, from the next one on. */
import { useState } from 'preact/hooks';
import { ask, federationPath, messageOf } from '../../shared/api.ts';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Field } from '../../shared/field.tsx';
import { toast } from '../../shared/toast.tsx';
import type { ShownOptions, Waiting } from '../data/settings-view.ts';

interface WaitingProps {
  readonly name: string;
  readonly options: Pick<ShownOptions, 'waiting' | 'maxWaitMs'>;
  onClose(): void;
}

const KINDS: readonly (readonly [Waiting['kind'], string])[] = [
  ['all', 'All have answered'],
  ['share', 'A share has answered'],
  ['fixed', 'A fixed time has passed'],
  ['benchmarks', 'The time that reported benchmarks suggest'],
];

export function WaitingDialog({ name, options: { waiting, maxWaitMs }, onClose }: WaitingProps) {
  const [kind, setKind] = useState(waiting.kind);
  const [seconds, setSeconds] = useState(String(waiting.kind === 'fixed' ? waiting.ms / 1000 : 10));
  const [share, setShare] = useState(String(waiting.kind === 'share' ? 100 * waiting.share : 90));
  const [most, setMost] = useState(maxWaitMs === null ? '' : String(maxWaitMs / 1000));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    const body = {
      waiting: waitingFrom(kind, { seconds, share, before: waiting }),
      maxWaitMs: most.trim() === '' ? null : 1000 * Number(most),
    };
    try {
      await ask(federationPath(name, '/waiting'), { method: 'POST', body });
      toast('ok', 'The new deadline applies from the next round on.');
      onClose();
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Change the deadline" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <Field label="A round closes when" error={error}>
          {(control) => (
            <select
              {...control}
              class="input"
              value={kind}
              onChange={(event) => setKind(event.currentTarget.value as Waiting['kind'])}
            >
              {KINDS.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {kind === 'fixed' && (
          <NumberField label="Seconds" value={seconds} onChange={setSeconds} min="0.001" />
        )}
        {kind === 'share' && (
          <NumberField label="Share in percent" value={share} onChange={setShare} min="1" max="100" />
        )}
        <NumberField
          label="At most, in seconds"
          help="Bounds every round. Empty: no bound."
          value={most}
          onChange={setMost}
          min="0.001"
          optional
        />
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy}>
            Change
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function waitingFrom(
  kind: Waiting['kind'],
  { seconds, share, before }: { readonly seconds: string; readonly share: string; readonly before: Waiting },
): Waiting | { readonly kind: Waiting['kind'] } {
  if (kind === 'fixed') return { kind, ms: 1000 * Number(seconds) };
  if (kind === 'share') return { kind, share: Number(share) / 100 };
  return before.kind === kind ? before : { kind };
}

interface NumberFieldProps {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly optional?: true;
  onChange(value: string): void;
}

export function NumberField({ label, help, value, onChange, min, max, optional }: NumberFieldProps) {
  return (
    <Field label={label} {...(help !== undefined && { help })}>
      {(control) => (
        <input
          {...control}
          class="input"
          type="number"
          step="any"
          {...(min !== undefined && { min })}
          {...(max !== undefined && { max })}
          required={!optional}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
