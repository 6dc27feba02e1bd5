/** How somebody joins a federation, for those who are to be invited: what `serve`, `invite` and `demo` suggest. */
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { readBytes } from '../node/files/files.ts';
import { authorityIn, certificatesIn } from '../node/server/tls.ts';
import { Placeholder, type Word } from './command-line.ts';

/** With a file of their own; what follows is added by whoever knows more. */
export function joinWords(url: string, name: string): string[] {
  const state = name === 'me' ? 'my-state' : name;
  return ['join', url, '--data', 'mine.csv', '--task', 'all', '--name', name, '--state', state];
}

/** Where the server asks for an invitation: the file that the suggested `invite` writes. */
const INVITATION_FILE = 'invitation.txt';
export const INVITED: readonly string[] = ['--invitation-file', INVITATION_FILE];
export const TO_INVITATION_FILE = new Placeholder(`> ${INVITATION_FILE}`);

/** Where the server asks for a certificate. */
export const OWN_CERTIFICATE: readonly string[] = ['--tls-cert', 'my-cert.pem', '--tls-key', 'my-key.pem'];

/**
 * What a client must trust to reach a server with this certificate: the file itself where somebody signed for themselves, nothing where a public
 * authority has signed it, the authority's certificate otherwise, which only the operator has.
 */
export async function trustWords(certFile: string | undefined): Promise<Word[]> {
  if (certFile === undefined) return [];
  const chain = certificatesIn(await readBytes(certFile));
  if (authorityIn(chain)) return ['--ca', certFile];
  const last = chain.at(-1)?.issuer;
  const isPublic = rootCertificates.some((root) => new X509Certificate(root).subject === last);
  return isPublic ? [] : ['--ca', new Placeholder('<ca.pem>')];
}
