/** TLS from files, read again when they change: a renewed certificate needs no restart. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
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

  constructor(options: TlsOptions) {
    this.options = options;
    this.checked();
  }

  secureOptions() {
    const mutual = this.options.clientCaFile !== undefined;
    return { ...this.checked(), handshakeTimeout: 10_000, requestCert: mutual, rejectUnauthorized: mutual };
  }

  /** Returns what is wrong with the new files: then the old ones stay in force. */
  reload(server: Server): Error | undefined {
    try {
      server.setSecureContext(this.checked());
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

  private checked(): SecureContextOptions {
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
