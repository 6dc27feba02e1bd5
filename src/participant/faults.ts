/** What the coordinator is sent of failures: one code of a closed list, and nothing of the rows or of a message for people. */
import type { FaultCode } from '../protocol/codes.ts';
import type { Fault } from '../protocol/messages.ts';
import type { ParticipantEffect } from './effects.ts';
import type { ParticipantState, RefusalCode } from './state.ts';

/** Codes of this program that are sent, as what; not those which the coordinator knows of already. */
const FAULTS: Readonly<Partial<Record<RefusalCode, FaultCode>>> = {
  NOT_SECURE: 'WRONG_OPTIONS',
  REPORT_NOT_PRIVATE: 'WRONG_OPTIONS',
  POSITIVE_NEEDED: 'ROWS_REFUSED',
  TARGET_NOT_A_NUMBER: 'ROWS_REFUSED',
  COLUMNS_NOT_AGREED: 'ROWS_REFUSED',
  WRONG_CLASSES: 'ROWS_REFUSED',
  WRONG_FEATURES: 'ROWS_REFUSED',
  SECURE_OVERFLOW: 'SECURE_OVERFLOW',
  CONTRADICTED: 'CONTRADICTED',
  STATE_MISMATCH: 'STATE_MISMATCH',
};

export function faultMessage({ stored, order }: ParticipantState, code: FaultCode): Fault {
  return { kind: 'fault', session: stored.session, round: Math.max(order?.round ?? 0, stored.base), code };
}

/** We have found out ourselves that nothing can come of it until somebody changes something. */
export function giveUp(state: ParticipantState, code: RefusalCode, message: string): ParticipantEffect[] {
  const fault = FAULTS[code];
  const told: ParticipantEffect[] = fault ? [{ type: 'send', message: faultMessage(state, fault) }] : [];
  return [...told, ...stop(state, code, message)];
}

/** Nothing can come of it, as the coordinator knows: it has said so, or has been told. */
export function stop(state: ParticipantState, code: RefusalCode, message: string): ParticipantEffect[] {
  state.phase = 'refused';
  state.refusal = { code, message };
  return [{ type: 'cancel' }];
}
