/**
 * What an invitation link brings along: `/join/<federation>#invitation=<token>&name=<participant>&demo=har:<seed>:<person>`. It is in the
 * fragment, which no browser sends to a server; and it leaves the address bar at once, so that nobody copies it from there or finds it in the
 * history. This tab keeps it until it is closed.
 */

export interface InvitationLink {
  readonly invitation?: string;
  /** The name to take part under. */
  readonly name?: string;
  readonly demo?: DemoPerson;
}

/** A person of `makeHarLike({ seed })`, from 1 on. */
export interface DemoPerson {
  readonly seed: number;
  readonly person: number;
}

const DEMO = /^har:(\d{1,15}):([1-9]\d{0,6})$/;
const LONGEST = 500;

/** What cannot be understood is left out: a link that was cut still opens the page. */
export function parseLink(fragment: string): InvitationLink {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string) => {
    const value = fields.get(name)?.trim();
    return value && value.length <= LONGEST ? value : undefined;
  };
  const [, seed, person] = DEMO.exec(text('demo') ?? '') ?? [];
  const invitation = text('invitation');
  const name = text('name');
  return {
    ...(invitation !== undefined && { invitation }),
    ...(name !== undefined && { name }),
    ...(seed !== undefined && { demo: { seed: Number(seed), person: Number(person) } }),
  };
}

/** The invitation in what somebody pastes: a link, its fragment, or the code alone. */
export function invitationIn(text: string): string | undefined {
  const trimmed = text.trim();
  const { invitation } = parseLink(trimmed.slice(trimmed.indexOf('#') + 1));
  return invitation ?? (/^[\w-]{16,500}$/.test(trimmed) ? trimmed : undefined);
}

export function isEmpty(link: InvitationLink): boolean {
  return Object.keys(link).length === 0;
}

/** The federation that a path of the page names; undefined: it names none. */
export function federationIn(path: string): string | undefined {
  const [, name] = /^\/join\/([^/]+)\/?$/.exec(path) ?? [];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

const KEY = 'kindred.link';

/** From the address, which it leaves, or from this tab's memory of it. */
export function takeLink(federation: string): InvitationLink {
  const key = `${KEY} ${federation}`;
  const found = parseLink(location.hash);
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  try {
    if (isEmpty(found)) return parseLink(sessionStorage.getItem(key) ?? '');
    sessionStorage.setItem(key, fragmentOf(found));
  } catch {
    // Storage is blocked: it lasts until the page is left.
  }
  return found;
}

/** A reload of this tab goes on under this name, also where another tab takes part under another. */
export function rememberName(federation: string, name: string): void {
  const key = `${KEY} ${federation}`;
  try {
    const known = parseLink(sessionStorage.getItem(key) ?? '');
    sessionStorage.setItem(key, fragmentOf({ ...known, name }));
  } catch {
    // As above.
  }
}

/** It did not work: a reload does not try it again. */
export function forgetInvitation(federation: string): void {
  const key = `${KEY} ${federation}`;
  try {
    const { invitation: _, ...rest } = parseLink(sessionStorage.getItem(key) ?? '');
    sessionStorage.setItem(key, fragmentOf(rest));
  } catch {
    // As above.
  }
}

/** `parseLink` gives the same back. */
export function fragmentOf({ invitation, name, demo }: InvitationLink): string {
  const fields = new URLSearchParams({
    ...(invitation !== undefined && { invitation }),
    ...(name !== undefined && { name }),
    ...(demo && { demo: `har:${demo.seed}:${demo.person}` }),
  });
  return fields.toString();
}
