/** The password of a database in the file where PostgreSQL's own programs look for it: `~/.pgpass`, or what `PGPASSFILE` names. */
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What a line must be for. */
export interface PasswordFor {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** Others must not be able to read it, or it is not read, as PostgreSQL has it. */
const OTHERS = 0o077;

export function passwordFromFile(wanted: PasswordFor, env: NodeJS.ProcessEnv = process.env): string {
  const path = env.PGPASSFILE ?? join(homedir(), '.pgpass');
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) return '';
    return passwordIn(readFileSync(path, 'utf8'), wanted);
  } catch {
    return '';
  }
}

/** Of the first line that fits: host:port:database:user:password, where * fits all and a backslash takes the next character as it is. */
export function passwordIn(text: string, { host, port, database, user }: PasswordFor): string {
  // Sockets are in the file as localhost.
  const wanted = [host.startsWith('/') ? 'localhost' : host, `${port}`, database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (fields.length === 5 && wanted.every((value, i) => fields[i] === '*' || fields[i] === value))
      return fields[4].replace(/\\(.)/g, '$1');
  }
  return '';
}

function fieldsOf(line: string): string[] {
  const fields = line.match(/(?:\\.|[^\\:])*(?::|$)/g) ?? [];
  const [host = '', port = '', database = '', user = '', ...rest] = fields.map((field) =>
    field.replace(/:$/, ''),
  );
  const plain = [host, port, database, user].map((field) => field.replace(/\\(.)/g, '$1'));
  return rest.length > 0 ? [...plain, rest[0]] : [];
}
