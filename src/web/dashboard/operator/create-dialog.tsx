/** A new federation: the options that most people set, and all others as JSON. */
import { useState } from 'preact/hooks';
import { ask, messageOf } from '../../shared/api.ts';
import { Banner } from '../../shared/banner.tsx';
import { Button } from '../../shared/button.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Field } from '../../shared/field.tsx';
import { toast } from '../../shared/toast.tsx';
import { federationHash } from '../data/route.ts';
import { NumberField } from './waiting-dialog.tsx';

interface Form {
  readonly name: string;
  readonly objective: string;
  readonly c1: string;
  readonly c2: string;
  readonly gap: string;
  readonly minParticipants: string;
  readonly secure: boolean;
  readonly more: string;
}

const USUAL: Form = {
  name: '',
  objective: 'classification',
  c1: '1',
  c2: '1',
  gap: '0.001',
  minParticipants: '2',
  secure: false,
  more: '',
};

export function CreateDialog({ onClose }: { onClose(): void }) {
  const [form, setForm] = useState(USUAL);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const set = (key: keyof Form) => (value: string | boolean) =>
    setForm((last) => ({ ...last, [key]: value }));
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const { name } = await ask<{ name: string }>('/v1/federations', { method: 'POST', body: bodyOf(form) });
      toast('ok', `${name} is created. Participants can join.`);
      onClose();
      location.hash = federationHash(name);
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog title="New federation" size="wide" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <div class="fields">
          <Field label="Name" help="Letters, digits, dot, underscore and hyphen. It never changes.">
            {(control) => (
              <input
                {...control}
                class="input"
                autocomplete="off"
                spellcheck={false}
                required
                maxLength={100}
                value={form.name}
                onInput={(event) => set('name')(event.currentTarget.value)}
              />
            )}
          </Field>
          <Field label="Objective">
            {(control) => (
              <select
                {...control}
                class="input"
                value={form.objective}
                onChange={(event) => set('objective')(event.currentTarget.value)}
              >
                <option value="classification">Classification</option>
                <option value="regression">Regression</option>
              </select>
            )}
          </Field>
          <NumberField label="C1" help="Weight of errors" value={form.c1} onChange={set('c1')} min="0" />
          <NumberField
            label="C2"
            help="Large: one model for all. Small: nearly independent models"
            value={form.c2}
            onChange={set('c2')}
            min="0"
          />
          <NumberField
            label="Target gap"
            help="Training rests when it is reached"
            value={form.gap}
            onChange={set('gap')}
            min="0"
          />
          <NumberField
            label="Participants to start with"
            value={form.minParticipants}
            onChange={set('minParticipants')}
            min="1"
          />
        </div>
        <label class="check">
          <input
            type="checkbox"
            checked={form.secure}
            onChange={(event) => set('secure')(event.currentTarget.checked)}
          />
          <span>Secure aggregation: the server learns sums only, never the answer of one participant</span>
        </label>
        <details>
          <summary>More options</summary>
          <Field
            label="Options as JSON"
            help="kindred settings federation lists all of them. They override those above."
          >
            {(control) => (
              <textarea
                {...control}
                class="input"
                rows={5}
                spellcheck={false}
                placeholder='{ "waiting": { "kind": "share", "share": 0.9 } }'
                value={form.more}
                onInput={(event) => set('more')(event.currentTarget.value)}
              />
            )}
          </Field>
        </details>
        {error !== undefined && (
          <Banner tone="bad" icon="alert" role="alert">
            {error}
          </Banner>
        )}
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" icon="add" busy={busy}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function bodyOf({ name, objective, c1, c2, gap, minParticipants, secure, more }: Form): object {
  const given = more.trim() === '' ? {} : parsed(more);
  const options = {
    ...{ objective, c1: Number(c1), c2: Number(c2), minParticipants: Number(minParticipants) },
    ...(secure && { secure: true }),
    ...given,
    stop: { gap: Number(gap), ...(given.stop as object | undefined) },
  };
  return { name: name.trim(), options };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch (error) {
    throw new Error(`Options: expected JSON, got a syntax error: ${(error as Error).message}`);
  }
  throw new Error('Options: expected a JSON object');
}
