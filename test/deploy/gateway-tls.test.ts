/** The gateway of compose.yaml as a process, with its own flags and the certificate that the file says how to make: it speaks TLS. */
import { execSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { hasOpenssl } from '../helpers/certificates.ts';
import { ask } from '../helpers/http.ts';
import { natsForTest, natsProgram } from '../helpers/nats.ts';
import { KindredProcess } from '../helpers/nats-processes.ts';
import { temporaryFolder, useBuilt } from '../node/client/helpers.ts';

useBuilt();
const text = readFileSync(resolve(import.meta.dirname, '../../deploy/compose.yaml'), 'utf8');
const { services, secrets } = parse(text, { merge: true });

describe.skipIf(!natsProgram || !hasOpenssl)('the gateway of compose.yaml', () => {
  test('is reached by https under the name of its certificate, and not by http', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'secrets'));
    const [, command] = /^# {3}(openssl req .*)$/m.exec(text)!;
    execSync(command, { cwd: folder, stdio: 'ignore' });
    const nats = await natsForTest();
    const fileOf = (name: string) => join(folder, secrets[name].file.replace('../', ''));
    const flags = (services.gateway.command as string[])
      .filter((flag) => !flag.startsWith('--port='))
      .map((flag) =>
        flag
          .replace(/^--nats=.*/, `--nats=${nats.url}`)
          .replace(/\$\{KINDRED_HOST_NAME:-(\w+)\}/, '$1')
          .replace(/\/run\/secrets\/([\w-]+)/, (_, name) => fileOf(name)),
      );
    const gateway = await KindredProcess.start(folder, ...flags);
    const { port } = new URL(gateway.url);
    const ca = readFileSync(fileOf('tls-cert'));
    const { status } = await ask(`https://localhost:${port}/healthz`, { tls: { ca } });
    expect(status).toBe(200);
    await expect(ask(`http://localhost:${port}/healthz`)).rejects.toThrow();
  }, 60_000);
});
