/** Addresses of the page on which people take part with a browser. */

interface JoinLink {
  readonly invitation?: string | undefined;
  /** The participant's name. */
  readonly name?: string | undefined;
  /** Made-up data: `har:<seed>:<person>`. */
  readonly demo?: string | undefined;
}

/** What is after the "#" stays in the browser: no server and no log gets to see an invitation. */
export function joinLink(origin: string, federation: string, values: JoinLink = {}): string {
  const { invitation, name, demo } = values;
  const given = Object.entries({ invitation, demo, name }).filter(([, value]) => value !== undefined);
  const fragment = given.map(([key, value]) => `${key}=${encoded(value!)}`).join('&');
  return `${origin}/join/${encodeURIComponent(federation)}${fragment && `#${fragment}`}`;
}

/** Colons are as good as they are, and easier to read. */
function encoded(value: string): string {
  return encodeURIComponent(value).replaceAll('%3A', ':');
}
