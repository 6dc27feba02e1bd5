/** The suites find what is wrong: a port with a defect fails the test that is about it. */
import { expect, test } from 'vitest';
import type { Define } from '../../src/check/contracts/contract.ts';
import { enrolmentStoreContract } from '../../src/check/contracts/enrolment-store.ts';
import { runStoreContract } from '../../src/check/contracts/run-store.ts';
import type { StoredCoordinator } from '../../src/coordinator/stored.ts';
import { MemoryStore } from '../../src/host/memory-store.ts';
import type { Enrolling, HistoryRow, SavedRun } from '../../src/host/ports.ts';

/** Names of the tests that fail. */
async function failuresOf(suite: (define: Define) => void): Promise<string[]> {
  const tests: [string, () => Promise<void>][] = [];
  suite((name, run) => tests.push([name, run]));
  const failed: string[] = [];
  for (const [name, run] of tests) await run().catch(() => failed.push(name));
  expect(tests.length).toBeGreaterThan(failed.length);
  return failed;
}

const opened = (store: MemoryStore) => () => ({ store, reopen: () => store, close: () => {} });

class KeepsReferences extends MemoryStore {
  private readonly runs = new Map<string, SavedRun>();

  override saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void {
    super.saveRun(federation, changes, rows);
    this.runs.set(federation, changes);
  }

  override loadRun(federation: string): ReturnType<MemoryStore['loadRun']> {
    const { run, members } = this.runs.get(federation) ?? {};
    return run && members && { run, members: [...members] };
  }
}

class SavesHalf extends MemoryStore {
  override saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void {
    super.saveRun(federation, changes, []);
    super.saveRun(federation, changes, rows);
  }
}

class ForgetsInvitations extends MemoryStore {
  override enrol(federation: string, enrolling: readonly Enrolling[]): void {
    super.enrol(
      federation,
      enrolling.map(({ enrolment }) => ({ enrolment })),
    );
    for (const { used } of enrolling) if (used) this.addInvitations(federation, [used]);
  }
}

class EnrolsOneByOne extends MemoryStore {
  override enrol(federation: string, enrolling: readonly Enrolling[]): void {
    for (const one of enrolling) super.enrol(federation, [one]);
  }
}

test('a run store that keeps what it was given, and not a copy', async () => {
  const failed = await failuresOf((define) =>
    runStoreContract(define, () => opened(new KeepsReferences())()),
  );
  expect(failed).toContain('what was given, and what was loaded, may be changed afterwards');
});

test('a run store whose saves are not all or nothing', async () => {
  const failed = await failuresOf((define) => runStoreContract(define, () => opened(new SavesHalf())()));
  expect(failed).toEqual(['a save that fails changes nothing']);
});

test('an enrolment store that enrols without using up the invitation', async () => {
  const failed = await failuresOf((define) =>
    enrolmentStoreContract(define, () => opened(new ForgetsInvitations())()),
  );
  expect(failed).toEqual(['an invitation is used up with the enrolment, or neither']);
});

test('an enrolment store that enrols one by one', async () => {
  const failed = await failuresOf((define) =>
    enrolmentStoreContract(define, () => opened(new EnrolsOneByOne())()),
  );
  expect(failed).toEqual(['of many who are enrolled at once all are there, or none']);
});
