/** TLS from files, read again when they change: a renewed certificate needs no restart. */
import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls';
import { inputError } from '../../base/errors.ts';
import { onFileSync } from '../files/file-error.ts';

export interface TlsOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** Present: only clients with a certificate of this authority may connect (mTLS). */
  readonly clientCaFile?: string | undefined;
}

/** Not `fs.watch`: certificates are often links into folders that are swapped. */
const WATCH_MS = 2000;

export class TlsFiles {
  private readonly options: TlsOptions;
  /** That of the server, and those that came with it. */
  private chain: readonly X509Certificate[];

  constructor(options: TlsOptions) {
    this.options = options;
    this.chain = certificatesIn(this.checked().cert);
  }

  secureOptions() {
    const mutual = this.options.clientCaFile !== undefined;
    return { ...this.checked(), handshakeTimeout: 10_000, requestCert: mutual, rejectUnauthorized: mutual };
  }

  /** Whether the certificate in force is for this name or address. */
  isFor(name: string): boolean {
    return isCertificateFor(this.chain[0], name);
  }

  /** The certificate to trust, where it comes with the server's; undefined: devices know it, or its owner gives it to them. */
  get authority(): X509Certificate | undefined {
    return authorityIn(this.chain);
  }

  /** Returns what is wrong with the new files: then the old ones stay in force. */
  reload(server: Server): Error | undefined {
    try {
      const options = this.checked();
      server.setSecureContext(options);
      this.chain = certificatesIn(options.cert);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Until the returned function is called. */
  watch(onChange: () => void): () => void {
    for (const file of this.files()) watchFile(file, { interval: WATCH_MS, persistent: false }, onChange);
    return () => {
      for (const file of this.files()) unwatchFile(file, onChange);
    };
  }

  private files(): string[] {
    const { certFile, keyFile, clientCaFile } = this.options;
    return clientCaFile === undefined ? [certFile, keyFile] : [certFile, keyFile, clientCaFile];
  }

  private checked(): SecureContextOptions & { readonly cert: Buffer } {
    const [cert, key, ca] = this.files().map((file) => onFileSync(file, () => readFileSync(file)));
    const options = { cert, key, ...(ca && { ca }), minVersion: 'TLSv1.2' } as const;
    try {
      createSecureContext(options);
    } catch (error) {
      const { certFile, keyFile } = this.options;
      throw inputError(
        'BAD_CERTIFICATE',
        `${certFile}, ${keyFile}: expected a certificate and its key in PEM, got ${(error as Error).message}`,
      );
    }
    return options;
  }
}

/** Of a file in PEM, in its order; none where there is none. */
export function certificatesIn(bytes: Uint8Array): X509Certificate[] {
  const text = new TextDecoder().decode(bytes);
  const found = text.match(
    /-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----[^-]+-----END (X509 |TRUSTED )?CERTIFICATE-----/g,
  );
  return (found ?? []).map((one) => new X509Certificate(one));
}

/** The one that vouches for itself. */
export function authorityIn(chain: readonly X509Certificate[]): X509Certificate | undefined {
  return chain.find(({ issuer, subject }) => issuer === subject);
}

export function isCertificateFor(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
}
