/**
 * A real PostgreSQL on loopback, in a folder of its own, with users that need a password. It does not wait for the disk: what is tested is
 * Kindred. It refuses to run as root: then it runs as `nobody`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from './nats.ts';
import { programPath } from './programs.ts';

/** Undefined: there is none here, and a line has said so; in CI that is a failure. */
export const postgresProgram = programPath('postgres');

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
export const PASSWORD = 'a secret';
const READY = /database system is ready to accept connections/;

export class PostgresServer {
  readonly port: number;
  private readonly folder: string;
  private process: ChildProcess | undefined;
  private databases = 0;

  private constructor(port: number) {
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'kindred-postgres-'));
    if (isRoot) chownSync(this.folder, NOBODY, NOBODY);
    const passwordFile = join(this.folder, 'password');
    writeFileSync(passwordFile, PASSWORD);
    const initdb = postgresProgram!.replace(/postgres$/, 'initdb');
    const options = ['-U', 'kindred', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8'];
    execFileSync(initdb, ['-D', this.data, '--no-sync', '--no-instructions', '--locale=C', ...options], {
      ...asUser,
      cwd: this.folder,
      stdio: 'pipe',
    });
  }

  static async start(): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort());
    await server.run();
    return server;
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  /** `postgres://kindred@...`: the password is not in it. */
  url(database = 'postgres'): string {
    return `postgres://kindred@127.0.0.1:${this.port}/${database}`;
  }

  /** With the password in it. */
  openUrl(database = 'postgres'): string {
    return this.url(database).replace('kindred@', `kindred:${encodeURIComponent(PASSWORD)}@`);
  }

  async run(): Promise<void> {
    const settings = {
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      full_page_writes: 'off',
      max_connections: 50,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(postgresProgram!, ['-D', this.data, ...flags], {
      ...asUser,
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.process = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr!.on('data', (chunk: Buffer) => {
        log = (log + chunk).slice(-10_000);
        if (READY.test(log)) resolve();
      });
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`)));
    });
  }

  /** As by a crash: nothing is written any more, and no connection is told. */
  crash(): Promise<void> {
    return this.signal('SIGQUIT');
  }

  async end(): Promise<void> {
    await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The address of a new database, with the password. */
  async newDatabase(): Promise<string> {
    const name = `test_${this.databases++}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.openUrl(name);
  }

  async query(sql: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(this.openUrl(database));
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the sessions of a store as an administrator does. */
  async endSessions(url: string): Promise<number> {
    const database = new URL(url).pathname.slice(1);
    const ended = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
    );
    return ended.length;
  }

  private async signal(name: NodeJS.Signals): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill(name);
    });
  }
}
