/** --tls-self-signed: the certificate that the server makes for itself, and what people need to know to trust it. */
import { isReadByOthers } from '../../node/admin/operator-token.ts';
import { readBytes } from '../../node/files/files.ts';
import { AUTHORITY_PATH } from '../../node/server/authority-file.ts';
import {
  certificateFilesOf,
  ensureCertificate,
  ownNames,
  type Renewed,
} from '../../node/server/own-certificate.ts';
import { authorityIn, certificatesIn } from '../../node/server/tls.ts';
import { type Io, note, warn } from '../io.ts';
import { isWildcard } from './addresses.ts';
import type { ServeFlags } from './server-options.ts';

const WHY: Readonly<Record<Exclude<Renewed, 'new' | undefined>, string>> = {
  expired: 'the old one is not valid for another week',
  'other names': 'this machine has other names or addresses than those in the old one',
  'other key': 'the key beside the old one is not its key',
};

/** With the files of the certificate, whether it was there or is new. */
export async function withOwnCertificate(io: Io, flags: ServeFlags): Promise<ServeFlags> {
  const { tlsSelfSigned, host, hostName = [], store } = flags;
  const fallback = certificateFilesOf(store);
  const { tlsCert = fallback.certFile, tlsKey = fallback.keyFile } = flags;
  // One of the two alone is refused later, as without this flag.
  if (!tlsSelfSigned || (flags.tlsCert === undefined) !== (flags.tlsKey === undefined)) return flags;
  const names = ownNames(isWildcard(host) ? hostName : [...hostName, host]);
  const renewed = await ensureCertificate({ certFile: tlsCert, keyFile: tlsKey }, names, Date.now());
  if (renewed !== undefined && renewed !== 'new')
    await note(
      io,
      `${tlsCert}: a new certificate, because ${WHY[renewed]}; whoever trusted it must trust the new one`,
    );
  if (isReadByOthers(tlsKey))
    await warn(
      io,
      `${tlsKey}: other users of this machine can read the private key; restrict it with chmod 600`,
    );
  return { ...flags, tlsCert, tlsKey };
}

interface OwnCertificateReport {
  readonly file: string;
  /** Date of its last day, UTC. */
  readonly validTo: string;
  /** SHA-256, as browsers show it for the server and phones for the authority. */
  readonly fingerprint: string;
  readonly authorityFingerprint: string;
}

export async function certificateReport({
  tlsSelfSigned,
  tlsCert,
}: ServeFlags): Promise<OwnCertificateReport | undefined> {
  if (!tlsSelfSigned || tlsCert === undefined) return undefined;
  const chain = certificatesIn(await readBytes(tlsCert));
  const [{ validTo, fingerprint256: fingerprint }] = chain;
  return {
    file: tlsCert,
    validTo: new Date(validTo).toISOString().slice(0, 10),
    fingerprint,
    authorityFingerprint: authorityIn(chain)!.fingerprint256,
  };
}

export function certificateLines(
  report: OwnCertificateReport | undefined,
  origin: string,
  line: (label: string, text: string) => string,
): string[] {
  if (!report) return [];
  const { file, validTo, fingerprint, authorityFingerprint } = report;
  return [
    line('Certificate', `${file}, valid until ${validTo}; SHA-256 fingerprint:`),
    line('', fingerprint),
    line('Authority', `${origin}${AUTHORITY_PATH}, for phones to trust; SHA-256 fingerprint:`),
    line('', authorityFingerprint),
  ];
}
