/** Failures that participants report: counted by code, for the operator. Nothing of training depends on them. */
import type { Fault } from '../protocol/messages.ts';
import type { CoordinatorEffect } from './effects.ts';
import type { Member } from './member.ts';
import type { CoordinatorState } from './state.ts';

/** Reports of one participant that count at once, and how long until another one does. */
const BURST = 5;
const REGAINED_MS = 10_000;

export function onFault(
  state: CoordinatorState,
  member: Member,
  { session, round, code }: Fault,
): CoordinatorEffect[] {
  // From an earlier session, late on its way.
  if (session < member.session || reportsTooOften(state, member)) return [];
  state.faults.set(code, (state.faults.get(code) ?? 0) + 1);
  member.fault = code;
  return [{ type: 'fault', id: member.id, code, round }];
}

function reportsTooOften({ nowMs }: CoordinatorState, member: Member): boolean {
  const { left, atMs } = member.faultsLeft ?? { left: BURST, atMs: nowMs };
  const present = Math.min(BURST, left + (nowMs - atMs) / REGAINED_MS);
  member.faultsLeft = { left: present >= 1 ? present - 1 : present, atMs: nowMs };
  return present < 1;
}
