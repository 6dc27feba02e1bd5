/** Certificates for tests, made by openssl when they are needed. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface KeyFiles {
  readonly cert: string;
  readonly key: string;
}

/** An authority in a folder of its own. */
export class Authority {
  readonly certificate: string;
  private readonly folder: string;
  private readonly name: string;

  constructor(folder: string, name: string) {
    this.folder = folder;
    this.name = name;
    const { cert, key } = this.files(name);
    openssl('req', '-x509', ...EC, '-keyout', key, '-out', cert, '-subj', `/CN=${name}`, '-days', '2');
    this.certificate = cert;
  }

  get pem(): Buffer {
    return readFileSync(this.certificate);
  }

  issue(name: string, names = 'IP:127.0.0.1,DNS:localhost'): KeyFiles {
    const { cert, key } = this.files(name);
    const request = join(this.folder, `${name}.csr`);
    const extension = join(this.folder, `${name}.ext`);
    writeFileSync(extension, `subjectAltName=${names}\n`);
    openssl('req', ...EC, '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
    const own = this.files(this.name);
    const signing = ['-CA', own.cert, '-CAkey', own.key, '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', request, ...signing, '-extfile', extension, '-out', cert);
    return { cert, key };
  }

  private files(name: string): KeyFiles {
    return { cert: join(this.folder, `${name}.pem`), key: join(this.folder, `${name}.key`) };
  }
}

/** As a renewal does it. */
export function replace(target: KeyFiles, source: KeyFiles): void {
  copyFileSync(source.key, target.key);
  copyFileSync(source.cert, target.cert);
}

function openssl(...argv: string[]): void {
  const { status, stderr } = spawnSync('openssl', argv, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${argv[0]}: ${stderr}`);
}
