/** What every `TokenStore` and `AuditStore` must do: tokens are there again and can be removed; the audit log only grows. */
import { type AuditEvent, nextAuditLine, verifyAudit } from '../../host/audit-chain.ts';
import type { AuditStore, RunStore, TokenRecord, TokenStore } from '../../host/ports.ts';
import { type Define, expectEqual, expectFailure, type OpenStore, withStore } from './contract.ts';

export function operatorStoreContract(
  define: Define,
  open: OpenStore<TokenStore & AuditStore & Pick<RunStore, 'removeFederation'>>,
): void {
  const test = withStore(define, open);

  test('a new store has no tokens and an empty audit log', async (store) => {
    expectEqual(await store.tokens(), [], 'tokens');
    expectEqual(await store.lastAuditLine(), undefined, 'the last entry');
    expectEqual(await store.auditLines(0, 10), [], 'entries');
  });

  test('tokens are listed by name, replaced, and removed', async (store, { reopen }) => {
    const [ada, ben] = [tokenOf('ada'), tokenOf('ben')];
    await store.saveToken(ben);
    await store.saveToken(ada);
    const rotated = { ...ada, digest: 'new', previous: { salt: 's', digest: 'old', untilMs: 7.5 } };
    await store.saveToken(rotated);
    const again = await reopen();
    expectEqual(await again.tokens(), [rotated, ben], 'tokens');
    await again.removeToken('ada');
    await again.removeToken('nobody');
    expectEqual(await again.tokens(), [ben], 'tokens after one was removed');
  });

  test('a token that cannot be stored changes nothing', async (store) => {
    await store.saveToken(tokenOf('ada'));
    const broken = { ...tokenOf('ada'), createdMs: () => 1 } as unknown as TokenRecord;
    await expectFailure(() => store.saveToken(broken), 'what cannot be stored');
    expectEqual(await store.tokens(), [tokenOf('ada')], 'tokens after a failure');
  });

  test('entries of the audit log are there again, in order, in pages', async (store, { reopen }) => {
    for (let n = 1; n <= 12; n++)
      await store.appendAuditLine(nextAuditLine(await store.lastAuditLine(), eventOf(n)));
    const again = await reopen();
    const all = await again.auditLines(0, 100);
    expectEqual(
      all.map(({ seq }) => seq),
      Array.from({ length: 12 }, (_, i) => i + 1),
      'numbers',
    );
    expectEqual(verifyAudit(all.map(({ line }) => line)).entries, 12, 'entries that are good');
    expectEqual(await again.lastAuditLine(), all[11], 'the last entry');
    expectEqual(await again.auditLines(9, 2), all.slice(9, 11), 'a page');
    expectEqual(await again.auditLines(12, 2), [], 'the page after the last');
  });

  test('both stay when a federation is removed', async (store) => {
    const first = nextAuditLine(undefined, eventOf(1));
    await store.saveToken(tokenOf('ada'));
    await store.appendAuditLine(first);
    await store.removeFederation('ada');
    expectEqual(await store.tokens(), [tokenOf('ada')], 'tokens');
    expectEqual(await store.auditLines(0, 10), [first], 'entries');
  });

  test('an entry of the audit log is never replaced', async (store) => {
    const first = nextAuditLine(undefined, eventOf(1));
    await store.appendAuditLine(first);
    await expectFailure(() => store.appendAuditLine(nextAuditLine(undefined, eventOf(2))), 'a number twice');
    expectEqual(await store.auditLines(0, 10), [first], 'entries after a failure');
  });
}

function tokenOf(name: string): TokenRecord {
  const common = { createdMs: 1.5, expiresMs: undefined, previous: undefined };
  return { name, role: 'operate', salt: `salt of ${name}`, digest: `digest of ${name}`, ...common };
}

function eventOf(n: number): AuditEvent {
  const at = `2026-01-01T00:00:${10 + n}.000Z`;
  return { at, who: 'ü "ada"', from: '127.0.0.1', what: 'pause', target: `line\n${n}`, outcome: 'done' };
}
