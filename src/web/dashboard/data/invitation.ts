/** An invitation in the forms that people pass on. */
interface Given {
  readonly origin: string;
  readonly federation: string;
  readonly token: string;
  readonly participant: string | undefined;
  readonly isSecure: boolean;
}

/** What is after the "#" stays in the browser of whoever opens it: no server and no log gets to see it. */
export function joinLink({ origin, federation, token, participant }: Given): string {
  const name = participant === undefined ? '' : `&name=${encodeURIComponent(participant)}`;
  return `${origin}/join/${encodeURIComponent(federation)}#invitation=${encodeURIComponent(token)}${name}`;
}

/** By the environment: arguments of a process can be read by others on its machine. */
export function joinCommand({ origin, federation, token, participant, isSecure }: Given): string {
  const url = federation === 'default' ? origin : `${origin}/${federation}`;
  const name = participant === undefined ? '' : ` --name ${quoted(participant)}`;
  return `KINDRED_INVITATION=${token} kindred join ${url} --data mine.csv --state mine${name}${isSecure ? ' --secure' : ''}`;
}

/** For a shell: inside single quotes nothing has a meaning. */
function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function isOwnMachine(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { hostname } = new URL(origin);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
