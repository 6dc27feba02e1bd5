/** Questions before what cannot be undone, or reaches everybody. */
import { ask, federationPath } from '../../shared/api.ts';
import { Confirm } from '../../shared/dialog.tsx';
import { toast } from '../../shared/toast.tsx';

interface OfParticipant {
  readonly name: string;
  readonly id: string;
  onClose(): void;
}

function participantPath(name: string, id: string, what: string): string {
  return federationPath(name, `/participants/${encodeURIComponent(id)}/${what}`);
}

export function ConfirmForget({ name, id, onClose }: OfParticipant) {
  const forget = async () => {
    await ask(participantPath(name, id, 'forget'), { method: 'POST' });
    toast('ok', `${id} is forgotten. Training goes on for the others.`);
  };
  return (
    <Confirm title={`Forget ${id}?`} action="Forget" onConfirm={forget} onClose={onClose}>
      <p>
        Its contribution is removed from the model, and training goes on without it. It may join again from
        the start: revoke it as well to keep it out.
      </p>
    </Confirm>
  );
}

export function ConfirmRevoke({ name, id, onClose }: OfParticipant) {
  const revoke = async () => {
    await ask(participantPath(name, id, 'revoke'), { method: 'POST' });
    toast('ok', `${id} is revoked.`);
  };
  return (
    <Confirm title={`Revoke access of ${id}?`} action="Revoke" onConfirm={revoke} onClose={onClose}>
      <p>
        Its connection is closed, and its key is no longer accepted. Its contribution stays until it is
        forgotten.
      </p>
    </Confirm>
  );
}

interface OfFederation {
  readonly name: string;
  onClose(): void;
}

export function ConfirmFinish({ name, onClose }: OfFederation) {
  const finish = async () => {
    await ask(federationPath(name, '/finish'), { method: 'POST' });
    toast('ok', 'Training has ended. All participants receive the current model.');
  };
  return (
    <Confirm
      title={`End training of ${name}?`}
      action="End training"
      kind="primary"
      onConfirm={finish}
      onClose={onClose}
    >
      <p>All participants receive and keep the current model. It can be reopened later.</p>
    </Confirm>
  );
}

export function ConfirmRecount({ name, onClose }: OfFederation) {
  const recount = async () => {
    await ask(federationPath(name, '/recount'), { method: 'POST' });
    toast('ok', 'All participants are asked again.');
  };
  return (
    <Confirm
      title={`Ask all participants of ${name} again?`}
      action="Recount"
      kind="primary"
      onConfirm={recount}
      onClose={onClose}
    >
      <p>
        All answers are discarded, and everybody answers the current model anew. Training goes on from there.
      </p>
    </Confirm>
  );
}

export function ConfirmDelete({ name, onClose }: OfFederation) {
  const remove = async () => {
    await ask(federationPath(name), { method: 'DELETE' });
    toast('ok', `${name} is deleted.`);
    location.hash = '#/';
  };
  return (
    <Confirm
      title={`Delete ${name}?`}
      action="Delete for good"
      typed={name}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        Its model, history, enrolments and invitations are deleted permanently, and participants are
        disconnected. They keep their own models.
      </p>
    </Confirm>
  );
}
