/** The certificate that a server makes for itself (`--tls-self-signed`), in two files beside its store: made once, used again while it is good. */
import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { hostname, networkInterfaces } from 'node:os';
import { inputError } from '../../base/errors.ts';
import { readIfThere, writeAtomically, writeDurably } from '../files/files.ts';
import { placeOfStore } from '../store/store-address.ts';
import { AUTHORITY, makeCertificate } from './certificate.ts';
import { isHostName } from './host-names.ts';
import { certificatesIn, isCertificateFor } from './tls.ts';

/** So that it does not expire under a server that has just started. */
const LEFT_MS = 7 * 24 * 3_600_000;

export interface CertificateFiles {
  readonly certFile: string;
  /** Readable by its owner only. */
  readonly keyFile: string;
}

/** Why there is a new certificate; undefined: it is the one that was there. */
export type Renewed = 'new' | 'expired' | 'other names' | 'other key' | undefined;

export function certificateFilesOf(store: string): CertificateFiles {
  const place = placeOfStore(store);
  return { certFile: `${place}.cert.pem`, keyFile: `${place}.key.pem` };
}

/** Names that a server of this machine is reached by; the first one stands for it. */
export function ownNames(given: readonly string[]): string[] {
  const own = hostname();
  const names = [...given, ...(isHostName(own) ? [own] : []), 'localhost', '127.0.0.1', '::1'];
  return [...new Set([...names, ...lanAddresses()])];
}

/**
 * IPv4 addresses of this machine in its networks. Those of IPv6 change every day where they are temporary: a certificate with them would
 * have to be trusted anew as often.
 */
export function lanAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}

/** Leaves a certificate for all these names in the files. One that somebody else has put there is refused, not replaced. */
export async function ensureCertificate(
  files: CertificateFiles,
  names: readonly string[],
  nowMs: number,
): Promise<Renewed> {
  const renewed = whyRenew(files, names, nowMs);
  if (renewed === undefined) return undefined;
  const { certificate, key } = makeCertificate(names, nowMs);
  // The certificate first: one without its key is recognised as ours, a key alone is not.
  await writeAtomically(files.certFile, [certificate]);
  writeDurably(files.keyFile, Buffer.from(key));
  return renewed;
}

function whyRenew({ certFile, keyFile }: CertificateFiles, names: readonly string[], nowMs: number): Renewed {
  const [text, key] = [certFile, keyFile].map((file) => readIfThere(file));
  if (text === undefined && key === undefined) return 'new';
  const [certificate, authority] = text === undefined ? [] : certificatesIn(text);
  if (authority?.subject.startsWith(`CN=${AUTHORITY} `) !== true) {
    const [file, got] = text === undefined ? [keyFile, 'a key without one'] : [certFile, 'something else'];
    const hint = 'move it away, or use it with --tls-cert and --tls-key alone';
    throw inputError(
      'BAD_CERTIFICATE',
      `${file}: expected a certificate that --tls-self-signed has written, got ${got}; ${hint}`,
    );
  }
  if (key === undefined || !isKeyOf(certificate, key)) return 'other key';
  const [from, to] = [certificate.validFrom, certificate.validTo].map((date) => Date.parse(date));
  if (nowMs < from || nowMs > to - LEFT_MS) return 'expired';
  return names.every((name) => isCertificateFor(certificate, name)) ? undefined : 'other names';
}

function isKeyOf(certificate: X509Certificate, key: Uint8Array): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(Buffer.from(key)));
  } catch {
    return false;
  }
}
