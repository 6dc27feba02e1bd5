/** The operator's token: asked for in a dialog, or in place of a view that needs it. */
import { useState } from 'preact/hooks';
import { ApiFailure, messageOf } from '../../shared/api.ts';
import { Button } from '../../shared/button.tsx';
import { Cell } from '../../shared/cell.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Field } from '../../shared/field.tsx';
import { toast } from '../../shared/toast.tsx';
import { signIn } from '../data/access.ts';

/** Whether the dialog is open. */
export const isSigningIn = new Cell(false);

export function SignInDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Sign in as an operator" onClose={onClose}>
      <TokenForm onDone={onClose} />
    </Dialog>
  );
}

export function TokenForm({ onDone }: { onDone?(): void }) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const { name, role } = await signIn(text.trim());
      toast('ok', `Signed in with token "${name}", role ${role}.`);
      onDone?.();
    } catch (failure) {
      setError(refusalText(failure));
      setBusy(false);
    }
  };
  return (
    <form class="form" onSubmit={submit}>
      <Field
        label="Token"
        error={error}
        help="kindred serve prints the path of the file that has it. It stays in this tab and is gone when the tab is closed."
      >
        {(control) => (
          <input
            {...control}
            class="input"
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="dialog-foot">
        <Button type="submit" kind="primary" icon="key" busy={busy} disabled={text.trim() === ''}>
          Sign in
        </Button>
      </div>
    </form>
  );
}

function refusalText(failure: unknown): string {
  if (failure instanceof ApiFailure && failure.code === 'WRONG_TOKEN')
    return 'The server does not know this token. It may have expired or been removed.';
  // Characters that no header can have.
  return failure instanceof TypeError ? 'This is not a token.' : messageOf(failure);
}
