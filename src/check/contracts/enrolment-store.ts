/** What every `EnrolmentStore` must do: who may take part is there again, and an invitation is used up with its enrolment. */
import type { Enrolment, EnrolmentStore, Invitation } from '../../host/ports.ts';
import { type Define, expectEqual, expectFailure, type OpenStore, withStore } from './contract.ts';

const NAME = 'default';
/** Enrolled at once. */
const MANY = 500;

export function enrolmentStoreContract(define: Define, open: OpenStore<EnrolmentStore>): void {
  const test = withStore(define, open);

  test('a new store has nobody', async (store) => {
    expectEqual(await store.schema(NAME), undefined, 'schema');
    expectEqual(await store.enrolment(NAME, 'ada'), undefined, 'enrolment');
    expectEqual(await store.enrolments(NAME), [], 'enrolments');
    expectEqual(await store.invitation(NAME, 'd'), undefined, 'invitation');
    expectEqual(await store.invitations(NAME), [], 'invitations');
  });

  test('columns are pinned, and may be replaced', async (store, { reopen }) => {
    await store.saveSchema(NAME, { digest: 'a', features: undefined });
    expectEqual(await store.schema(NAME), { digest: 'a', features: undefined }, 'schema');
    const named = { digest: 'b', features: ['x1', 'ü', ''] };
    await store.saveSchema(NAME, named);
    expectEqual(await (await reopen()).schema(NAME), named, 'schema after a restart');
  });

  test('everybody who is enrolled is found by name, and all are listed by name', async (store, {
    reopen,
  }) => {
    const ids = ['ben', 'ada', 'drei "vier"', "o'neil", 'ü', '10', '9'];
    for (const id of ids) await store.enrol(NAME, [{ enrolment: enrolmentOf(id) }]);
    const again = await reopen();
    for (const id of ids) expectEqual(await again.enrolment(NAME, id), enrolmentOf(id), id);
    const byName = ids.toSorted().map((id) => enrolmentOf(id));
    expectEqual(await again.enrolments(NAME), byName, 'enrolments');
  });

  test('an enrolment may be revoked, and made again with another key', async (store) => {
    await store.enrol(NAME, [{ enrolment: enrolmentOf('ada') }]);
    await store.enrol(NAME, [{ enrolment: { ...enrolmentOf('ada'), revokedMs: 7 } }]);
    expectEqual((await store.enrolment(NAME, 'ada'))?.revokedMs, 7, 'revoked');
    const again = { ...enrolmentOf('ada', 'another'), revokedKeys: ['key of ada'] };
    await store.enrol(NAME, [{ enrolment: again }]);
    expectEqual(await store.enrolments(NAME), [again], 'enrolments');
  });

  test('an invitation is used up with the enrolment, or neither', async (store, { reopen }) => {
    const invitation = invitationOf('d', 1);
    await store.addInvitations(NAME, [invitation]);
    const used = { ...invitation, usedBy: 'ada' };
    const broken = { ...used, expiresMs: () => 1 } as unknown as Invitation;
    const enrolment = enrolmentOf('ada');
    await expectFailure(() => store.enrol(NAME, [{ enrolment, used: broken }]), 'what cannot be stored');
    expectEqual(await store.enrolment(NAME, 'ada'), undefined, 'enrolment after a failure');
    expectEqual(await store.invitation(NAME, 'd'), invitation, 'invitation after a failure');
    await store.enrol(NAME, [{ enrolment, used }]);
    const again = await reopen();
    expectEqual(await again.enrolment(NAME, 'ada'), enrolmentOf('ada'), 'enrolment');
    expectEqual(await again.invitation(NAME, 'd'), used, 'invitation');
  });

  test('of many who are enrolled at once all are there, or none', async (store, { reopen }) => {
    const invitation = invitationOf('d', 1);
    await store.addInvitations(NAME, [invitation]);
    const names = Array.from({ length: MANY }, (_, k) => `p${k}`);
    const used = { ...invitation, usedBy: 'p1' };
    const all = names.map((id) => ({ enrolment: enrolmentOf(id), ...(id === 'p1' && { used }) }));
    const broken = { enrolment: { ...enrolmentOf('p7'), key: () => 1 } as unknown as Enrolment };
    await expectFailure(() => store.enrol(NAME, [...all, broken]), 'one that cannot be stored');
    expectEqual(await store.enrolments(NAME), [], 'enrolments after a failure');
    expectEqual(await store.invitation(NAME, 'd'), invitation, 'invitation after a failure');
    await store.enrol(NAME, all);
    const again = await reopen();
    const byName = names.toSorted().map((id) => enrolmentOf(id));
    expectEqual(await again.enrolments(NAME), byName, 'enrolments');
    expectEqual(await again.invitation(NAME, 'd'), used, 'invitation');
  });

  test('of those of one name that are enrolled at once the last counts', async (store, { reopen }) => {
    const [first, last] = [enrolmentOf('ada', 'first'), enrolmentOf('ada', 'last')];
    await store.enrol(NAME, [{ enrolment: first }, { enrolment: enrolmentOf('ben') }, { enrolment: last }]);
    await store.enrol(NAME, []);
    expectEqual(await (await reopen()).enrolments(NAME), [last, enrolmentOf('ben')], 'enrolments');
  });

  test('invitations are listed oldest first, and added all or none', async (store) => {
    const [young, old, middle] = [invitationOf('a', 30), invitationOf('b', 10), invitationOf('c', 20)];
    await store.addInvitations(NAME, [young, old]);
    await store.addInvitations(NAME, [middle]);
    expectEqual(await store.invitations(NAME), [old, middle, young], 'invitations');
    const broken = { ...invitationOf('e', 5), participant: () => 1 } as unknown as Invitation;
    await expectFailure(
      () => store.addInvitations(NAME, [invitationOf('d', 1), broken]),
      'what cannot be stored',
    );
    expectEqual(await store.invitations(NAME), [old, middle, young], 'invitations after a failure');
  });

  test('federations do not see each other', async (store) => {
    await store.saveSchema('a', { digest: 'a', features: undefined });
    await store.enrol('a', [{ enrolment: enrolmentOf('ada') }]);
    await store.addInvitations('a', [invitationOf('d', 1)]);
    expectEqual(await store.schema('b'), undefined, 'schema of another');
    expectEqual(await store.enrolment('b', 'ada'), undefined, 'enrolment of another');
    expectEqual(await store.enrolments('b'), [], 'enrolments of another');
    expectEqual(await store.invitation('b', 'd'), undefined, 'invitation of another');
  });
}

function enrolmentOf(participant: string, key = `key of ${participant}`): Enrolment {
  return { participant, key, enrolledMs: 2.5, revokedMs: undefined };
}

function invitationOf(digest: string, createdMs: number): Invitation {
  return { digest, participant: undefined, createdMs, expiresMs: createdMs + 1000, usedBy: undefined };
}
