/** Light or dark: as the system has it, unless somebody has chosen. */
import { Cell } from './cell.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'kindred.theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

function apply(theme: Theme): void {
  const root = document.documentElement;
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}

export const theme = new Cell<Theme>(stored());
/** What is shown: canvases must be drawn again when it changes. */
export const scheme = new Cell<'light' | 'dark'>(shown());

apply(theme.value);
systemIsDark.addEventListener('change', () => scheme.set(shown()));

function shown(): 'light' | 'dark' {
  if (theme.value !== 'system') return theme.value;
  return systemIsDark.matches ? 'dark' : 'light';
}

export function setTheme(value: Theme): void {
  try {
    if (value === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, value);
  } catch {
    // Storage is blocked: it lasts until the page is left.
  }
  apply(value);
  theme.set(value);
  scheme.set(shown());
}
