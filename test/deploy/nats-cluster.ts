/** Three real nats-servers with the configuration in deploy/nats, on loopback. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, natsProgram } from '../helpers/nats.ts';

export const natsFolder = fileURLToPath(new URL('../../deploy/nats/', import.meta.url));
const ROLES = ['SYSTEM', 'ROOT', 'GATEWAY', 'AGGREGATE', 'WORK'];
const PASSWORD = 'p4ssword';
/** `sync_interval` came with this version. */
const NEEDED = [2, 10];

let hasSaid = false;

/** Every variable that the configuration asks for. */
function environment(name: string, routePorts: readonly number[]): Record<string, string> {
  const routes = routePorts.map((port) => `"nats://route:${PASSWORD}@127.0.0.1:${port}"`);
  return {
    KINDRED_NATS_NAME: name,
    KINDRED_NATS_ROUTES: `[${routes.join(', ')}]`,
    KINDRED_NATS_ROUTE_PASSWORD: PASSWORD,
    ...Object.fromEntries(ROLES.map((role) => [`KINDRED_NATS_${role}_PASSWORD`, `${role}secret`])),
  };
}

export function passwordOf(role: string): string {
  return `${role.toUpperCase()}secret`;
}

/** The configuration as it is but for its folder of data, and without what the installed server is too old for. */
export function writeConfiguration(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'nats.conf');
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(execFileSync(natsProgram!, ['-v'], { encoding: 'utf8' }))!;
  const isOld = Number(major) < NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) < NEEDED[1]);
  const text = readFileSync(join(natsFolder, 'nats.conf'), 'utf8').replace(
    '/data/jetstream',
    join(folder, 'data'),
  );
  if (isOld && !hasSaid)
    process.stderr.write(
      `\nnote: nats-server ${major}.${minor} does not know sync_interval; checked without it\n`,
    );
  hasSaid ||= isOld;
  writeFileSync(path, isOld ? text.replace(/^ *sync_interval: always$/m, '') : text);
  const permissions = readFileSync(join(natsFolder, 'permissions.conf'), 'utf8');
  writeFileSync(join(folder, 'permissions.conf'), withSecondGateway(permissions));
  return path;
}

/** As permissions.conf says how to give a gateway a user of its own. */
function withSecondGateway(permissions: string): string {
  const [block] = /^GATEWAY_MAY: \{[\s\S]*?^\}\n/m.exec(permissions)!;
  const copy = block
    .replace('GATEWAY_MAY', 'GATEWAY_2_MAY')
    .replace(/(_INBOX|down|beacon\.gateway)\.gateway\b/g, '$1.gateway-2');
  const user = '{ user: gateway-2, password: $KINDRED_NATS_GATEWAY_PASSWORD, permissions: $GATEWAY_2_MAY }';
  return permissions
    .replace(block, `${block}\n${copy}`)
    .replace(/^( *)\{ user: gateway, .*$/m, (line, indent) => `${line}\n${indent}${user}`);
}

/** `nats-server -t`: what it says, and its exit code. */
export function checkConfiguration(path: string, env = environment('nats-0', [6222])) {
  const child = spawn(natsProgram!, ['-t', '-c', path], { env });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise<{ code: number | null; said: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, said })),
  );
}

export class NatsCluster {
  private readonly folder = mkdtempSync(join(tmpdir(), 'kindred-deploy-'));
  private readonly ports: readonly number[];
  private readonly children: (ChildProcess | undefined)[] = [undefined, undefined, undefined];
  /** What all of them have said. */
  log = '';

  private constructor(ports: readonly number[]) {
    this.ports = ports;
  }

  static async start(): Promise<NatsCluster> {
    const cluster = new NatsCluster(await Promise.all(Array.from({ length: 9 }, () => freePort())));
    await Promise.all([0, 1, 2].map((k) => cluster.run(k)));
    return cluster;
  }

  get servers(): string[] {
    return this.ports.slice(0, 3).map((port) => `nats://127.0.0.1:${port}`);
  }

  async run(k: number): Promise<void> {
    const { ports, folder } = this;
    const config = writeConfiguration(join(folder, `nats-${k}`));
    const child = spawn(
      natsProgram!,
      [
        ...['-c', config, '-a', '127.0.0.1', '-p', `${ports[k]}`, '-m', `${ports[6 + k]}`],
        ...['--cluster', `nats://127.0.0.1:${ports[3 + k]}`],
      ],
      { env: environment(`nats-${k}`, ports.slice(3, 6)), stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.children[k] = child;
    child.stderr!.on('data', (chunk) => {
      this.log += chunk;
    });
    await ready(child);
  }

  async kill(k: number): Promise<void> {
    const child = this.children[k];
    this.children[k] = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** As a machine that is replaced: the name stays, the disk is new. */
  loseDisk(k: number): void {
    rmSync(join(this.folder, `nats-${k}`), { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    await Promise.all([0, 1, 2].map((k) => this.kill(k)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** It takes connections. Until a leader is elected, requests to JetStream fail. */
function ready(child: ChildProcess): Promise<void> {
  let log = '';
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', (chunk: Buffer) => {
      log += chunk;
      if (log.includes('Server is ready')) resolve();
    });
    child.once('exit', (code) => reject(new Error(`nats-server ended with ${code}: ${log}`)));
  });
}

/** While a leader is elected, requests fail. The test's own time-out ends it. */
export async function patiently<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch {
      await pause(50);
    }
  }
}
