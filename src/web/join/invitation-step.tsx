/** For whoever has an invitation, but has opened the page without it. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { Field } from '../shared/field.tsx';
import type { JoinPage } from './join-page.ts';
import { invitationIn } from './link.ts';

export function InvitationStep({ page }: { readonly page: JoinPage }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const use = (event: Event) => {
    event.preventDefault();
    const invitation = invitationIn(text);
    if (invitation === undefined) setError('This is not an invitation. Paste the whole link.');
    else {
      page.invitation.set(invitation);
      setText('');
      setError(undefined);
    }
  };
  return (
    <form class="card step" onSubmit={use} aria-label="Invitation">
      <div class="step-head">
        <h2>Your invitation</h2>
      </div>
      <Field
        label="Invitation link"
        error={error}
        help="As you got it, by mail or as a QR code. It is not sent before you join."
      >
        {(control) => (
          <input
            {...control}
            class="input"
            autocomplete="off"
            spellcheck={false}
            value={text}
            placeholder={`${location.origin}/join/…#invitation=…`}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="buttons">
        <Button type="submit" disabled={text.trim() === ''}>
          Use this invitation
        </Button>
      </div>
    </form>
  );
}
