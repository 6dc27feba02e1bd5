/** Which view the address names: what is after the "#", which the server never sees. */
export type Route =
  | { readonly view: 'federations' }
  | { readonly view: 'federation'; readonly name: string }
  | { readonly view: 'compare'; readonly chosen: readonly Chosen[] }
  | { readonly view: 'reports'; readonly name: string | undefined }
  | { readonly view: 'audit' }
  | { readonly view: 'unknown' };

/** A run of a federation, or its last one. */
export interface Chosen {
  readonly name: string;
  readonly run: number | 'last';
}

export function parseRoute(hash: string): Route {
  const [path, query = ''] = hash.replace(/^#/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  const names = parts.map(decoded);
  if (names.includes(undefined)) return { view: 'unknown' };
  const [view, name, ...more] = names as string[];
  if (view === undefined) return { view: 'federations' };
  if (more.length > 0) return { view: 'unknown' };
  if (view === 'federations' && name !== undefined) return { view: 'federation', name };
  if (view === 'reports') return { view: 'reports', name };
  if (name !== undefined) return { view: 'unknown' };
  if (view === 'compare') return { view: 'compare', chosen: chosenIn(query) };
  return view === 'audit' ? { view: 'audit' } : { view: 'unknown' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function chosenIn(query: string): Chosen[] {
  return new URLSearchParams(query).getAll('run').map((text) => {
    // Names of federations have no colon.
    const [name, run] = text.split(':', 2);
    const number = Number(run);
    return { name, run: Number.isSafeInteger(number) && number > 0 ? number : 'last' };
  });
}

export function federationHash(name: string): string {
  return `#/federations/${encodeURIComponent(name)}`;
}

export function compareHash(chosen: readonly Chosen[]): string {
  const runs = chosen.map(({ name, run }) => `run=${encodeURIComponent(name)}:${run}`);
  return `#/compare${runs.length > 0 ? `?${runs.join('&')}` : ''}`;
}

export function reportHash(name?: string): string {
  return name === undefined ? '#/reports' : `#/reports/${encodeURIComponent(name)}`;
}
