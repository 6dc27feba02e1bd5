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
  private certificate: X509Certificate;

  constructor(options: TlsOptions) {
    this.options = options;
    this.certificate = new X509Certificate(this.checked().cert);
  }

  secureOptions() {
    const mutual = this.options.clientCaFile !== undefined;
    return { ...this.checked(), handshakeTimeout: 10_000, requestCert: mutual, rejectUnauthorized: mutual };
  }

  /** Whether the certificate in force is for this name or address. */
  isFor(name: string): boolean {
    const { certificate } = this;
    return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  }

  /** Returns what is wrong with the new files: then the old ones stay in force. */
  reload(server: Server): Error | undefined {
    try {
      const options = this.checked();
      server.setSecureContext(options);
      this.certificate = new X509Certificate(options.cert);
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
