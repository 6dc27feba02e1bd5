/** The operator's token: in this tab and until it is closed, nowhere else. */
import { Cell } from './cell.ts';

const KEY = 'kindred.token';

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    // Storage is blocked: the token lasts until the page is left.
    return undefined;
  }
}

export const token = new Cell<string | undefined>(stored());

export function setToken(value: string | undefined): void {
  try {
    if (value === undefined) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, value);
  } catch {
    // As above.
  }
  token.set(value);
}
