/** State and key of a participant, opened together. The state is made first: a key without one has lost it. */
import { inputError } from '../base/errors.ts';
import type { NewParticipant } from '../client/participant-file.ts';
import type { Home } from '../client/ports.ts';
import { makeIdentity, readIdentity, signerOf } from './identity.ts';
import { openStateStore, readStateFile } from './state-store.ts';

/** For the owner of the state, by its token (leadership.ts). */
export async function openHome(
  database: IDBDatabase,
  name: string,
  token: string,
  newcomer: NewParticipant,
): Promise<Home> {
  const [known, identity] = [await readStateFile(database, name), await readIdentity(database, name)];
  if (!known && identity) throw incomplete(name, 'its key exists, but the state is missing');
  if (known && !identity && known.stored.session > 0)
    throw incomplete(name, 'the state exists, but its key is missing');
  const store = await openStateStore(database, name, token, newcomer);
  const own = identity ?? (await makeIdentity(database, name, token));
  return { store, signer: await signerOf(own) };
}

function incomplete(name: string, what: string): Error {
  return inputError(
    'STATE_INCOMPLETE',
    `state "${name}" of this browser: ${what}; remove it, have the operator forget the participant, and join again`,
  );
}
