/** What may be done from this page: the role of the operator's token, or of nobody. */
import type { Role } from '../../../host/ports.ts';
import { ApiFailure, ask } from '../../shared/api.ts';
import { Cell, useCell } from '../../shared/cell.ts';
import { setToken, token } from '../../shared/token.ts';

export interface Who {
  readonly name: string | null;
  /** null: nothing, not even to look. */
  readonly role: Role | null;
}

/** Undefined: not known yet. */
export const who = new Cell<Who | undefined>(undefined);

const RANK: Readonly<Record<Role, number>> = { read: 0, operate: 1, admin: 2 };

export function may(role: Role, { value } = who): boolean {
  const mine = value?.role;
  return mine !== undefined && mine !== null && RANK[mine] >= RANK[role];
}

/** Renders again when the answer changes. */
export function useMay(role: Role): boolean {
  useCell(who);
  return may(role);
}

export async function refreshWho(): Promise<void> {
  try {
    who.set(await ask<Who>('/v1/whoami'));
  } catch (error) {
    // It has expired, or has been removed.
    if (error instanceof ApiFailure && error.code === 'WRONG_TOKEN') setToken(undefined);
  }
}

/** Keeps the token if it is good; throws the refusal otherwise. */
export async function signIn(given: string): Promise<Who> {
  const found = await ask<Who>('/v1/whoami', { token: given });
  setToken(given);
  return found;
}

token.watch(() => void refreshWho());
