/** An invitation as a link, a QR code and a command. The token in it is shown this once. */
import { useState } from 'preact/hooks';
import { ask, federationPath, messageOf } from '../../shared/api.ts';
import { Banner } from '../../shared/banner.tsx';
import { Button } from '../../shared/button.tsx';
import { Command } from '../../shared/command.tsx';
import { Dialog } from '../../shared/dialog.tsx';
import { Field } from '../../shared/field.tsx';
import { dateTime } from '../../shared/format.ts';
import { Qr } from '../../shared/qr.tsx';
import { isOwnMachine, joinCommand, joinLink } from '../data/invitation.ts';

interface Invitation {
  readonly token: string;
  readonly participant?: string;
  readonly expiresMs?: number;
}

const HOUR_MS = 3_600_000;
const LIFETIMES = [
  [String(HOUR_MS), 'One hour'],
  [String(24 * HOUR_MS), 'One day'],
  [String(7 * 24 * HOUR_MS), 'One week'],
  ['', 'No end'],
] as const;

interface InviteProps {
  readonly name: string;
  readonly isSecure: boolean;
  onClose(): void;
}

export function InviteDialog({ name, isSecure, onClose }: InviteProps) {
  const [made, setMade] = useState<Invitation>();
  return (
    <Dialog title={`Invite to ${name}`} onClose={onClose}>
      {made ? (
        <Made name={name} isSecure={isSecure} invitation={made} onAnother={() => setMade(undefined)} />
      ) : (
        <Wanted name={name} onMade={setMade} />
      )}
    </Dialog>
  );
}

function Wanted({ name, onMade }: { readonly name: string; onMade(made: Invitation): void }) {
  const [participant, setParticipant] = useState('');
  const [lifetime, setLifetime] = useState<string>(LIFETIMES[1][0]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    const body = {
      ...(participant.trim() !== '' && { participant: participant.trim() }),
      ...(lifetime !== '' && { lifetimeMs: Number(lifetime) }),
    };
    try {
      const path = federationPath(name, '/invitations');
      const { invitations } = await ask<{ invitations: Invitation[] }>(path, { method: 'POST', body });
      onMade(invitations[0]);
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <form class="form" onSubmit={submit}>
      <Field label="Name of the participant" help="Empty: whoever has the link chooses a name." error={error}>
        {(control) => (
          <input
            {...control}
            class="input"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            value={participant}
            onInput={(event) => setParticipant(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Valid for" help="It is good for one participant, once.">
        {(control) => (
          <select
            {...control}
            class="input"
            value={lifetime}
            onChange={(event) => setLifetime(event.currentTarget.value)}
          >
            {LIFETIMES.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div class="dialog-foot">
        <Button type="submit" kind="primary" icon="add" busy={busy}>
          Create invitation
        </Button>
      </div>
    </form>
  );
}

interface MadeProps {
  readonly name: string;
  readonly isSecure: boolean;
  readonly invitation: Invitation;
  onAnother(): void;
}

function Made({ name, isSecure, invitation: { token, participant, expiresMs }, onAnother }: MadeProps) {
  const [origin, setOrigin] = useState(location.origin);
  const address = origin.trim().replace(/\/+$/, '');
  const given = { origin: address, federation: name, token, participant, isSecure };
  const link = joinLink(given);
  return (
    <div class="invitation">
      <p>
        {participant ? `For ${participant}, ` : 'For one participant, '}
        {expiresMs === undefined ? 'without an end' : `until ${dateTime(expiresMs)}`}. It is shown only now.
      </p>
      <div class="invitation-qr">
        <Qr text={link} label="QR code of the invitation link" />
      </div>
      <Command text={link} label="Copy the link" />
      <details>
        <summary>Join with the command line</summary>
        <Command text={joinCommand(given)} label="Copy the command" />
      </details>
      <Field label="Address of the server" help="As the participant reaches it.">
        {(control) => (
          <input
            {...control}
            class="input"
            type="url"
            value={origin}
            onInput={(event) => setOrigin(event.currentTarget.value)}
          />
        )}
      </Field>
      {isOwnMachine(address) && (
        <Banner tone="warn" icon="alert">
          This address works on this machine only. For others, serve with --host 0.0.0.0 and put that address
          above.
        </Banner>
      )}
      <div class="dialog-foot">
        <Button onClick={onAnother}>Another one</Button>
      </div>
    </div>
  );
}
