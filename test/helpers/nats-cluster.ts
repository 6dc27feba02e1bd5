/**
 * Three nats-servers on loopback as one cluster, with JetStream in temporary folders. Routes between them go through proxies, one for each
 * pair and direction, so that nodes can be cut off from each other while clients still reach them; nodes can be killed, paused and started
 * again.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort, natsProgram } from './nats.ts';
import { TcpProxy } from './tcp-proxy.ts';

export const NODES = 3;
const READY_MS = 120_000;
const COPY = '-copy';
const MOST_TRIES = 5;

interface Node {
  readonly name: string;
  readonly port: number;
  readonly routePort: number;
  readonly config: string;
  process: ChildProcess | undefined;
  /** To the others, by their place. */
  readonly routes: Map<number, TcpProxy>;
}

export class NatsCluster {
  private readonly folder = mkdtempSync(join(tmpdir(), 'kindred-cluster-'));
  private readonly nodes: Node[] = [];

  private constructor() {}

  /** There is a leader of JetStream when it comes back. */
  static async start(): Promise<NatsCluster> {
    for (let tries = 1; ; tries++) {
      const cluster = new NatsCluster();
      try {
        await cluster.prepare();
        await Promise.all(cluster.nodes.map((_, i) => cluster.run(i)));
        await cluster.untilLed();
        return cluster;
      } catch (error) {
        await cluster.end();
        // Somebody else may take a free port before a node does.
        if (tries === MOST_TRIES || !/address already in use/.test((error as Error).message)) throw error;
      }
    }
  }

  /** Of all nodes. */
  get servers(): string[] {
    return this.nodes.map(({ port }) => `nats://127.0.0.1:${port}`);
  }

  /** `nats://a,b,c`, as stores have it. */
  get address(): string {
    return `nats://${this.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  }

  get ports(): number[] {
    return this.nodes.map(({ port }) => port);
  }

  async run(place: number): Promise<void> {
    const node = this.nodes[place];
    const child = spawn(natsProgram!, ['-c', node.config], { stdio: ['ignore', 'ignore', 'pipe'] });
    node.process = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr!.on('data', (chunk: Buffer) => {
        if (log.length < 100_000) log += chunk;
        if (/Server is ready/.test(log)) resolve();
      });
      child.once('exit', (code) => reject(new Error(`${node.name} ended with ${code}: ${log}`)));
    });
  }

  /** By default nothing is written any more. */
  async kill(place: number, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.nodes[place].process;
    this.nodes[place].process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill(signal);
    });
  }

  /** All that it had stored: it gets everything from the others when it starts. */
  loseStore(place: number): void {
    rmSync(join(this.folder, this.nodes[place].name), { recursive: true, force: true });
  }

  /** Everything that was stored as it was before `act`. `onLost`: all nodes are down, and start with that. */
  async rollBack(act: () => Promise<unknown>, onLost: () => void): Promise<void> {
    // Copies of servers at work would be torn.
    await this.restart(() => this.copy('', COPY));
    await act();
    await this.restart(() => {
      onLost();
      this.copy(COPY, '');
    });
  }

  pause(place: number): void {
    this.nodes[place].process?.kill('SIGSTOP');
  }

  resume(place: number): void {
    this.nodes[place].process?.kill('SIGCONT');
  }

  /** From the other nodes, not from clients. */
  cutOff(place: number): void {
    for (const proxy of this.routesOf(place)) proxy.cut();
  }

  heal(place: number): void {
    for (const proxy of this.routesOf(place)) proxy.heal();
  }

  /** The place of the node that leads this stream; undefined: none does at present. */
  async leaderOf(stream: string, connection: NatsConnection): Promise<number | undefined> {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2000 });
    const info = await manager.streams.info(stream).catch(() => undefined);
    const found = this.nodes.findIndex(({ name }) => name === info?.cluster?.leader);
    return found < 0 ? undefined : found;
  }

  /** All nodes have all of it: only then does another one's loss lose nothing. */
  async untilWhole(stream: string, connection: NatsConnection): Promise<void> {
    const end = performance.now() + READY_MS;
    for (;;) {
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 2000 });
      const info = await manager.streams.info(stream).catch(() => undefined);
      const replicas = info?.cluster?.replicas ?? [];
      if (replicas.length === NODES - 1 && replicas.every(({ current, lag = 0 }) => current && lag === 0))
        return;
      if (performance.now() > end) throw new Error(`${stream}: not all replicas are current`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Nothing is stored any more, and all nodes are there: for the next user. */
  async clear(): Promise<void> {
    await this.untilLed();
    await this.withManager(async ({ streams }) => {
      const names: string[] = [];
      for await (const name of streams.names()) names.push(name);
      for (const name of names) await streams.delete(name);
    });
  }

  async end(): Promise<void> {
    for (const [i, node] of this.nodes.entries()) {
      this.resume(i);
      await this.kill(i);
      for (const proxy of node.routes.values()) await proxy.stop();
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async restart(between: () => void): Promise<void> {
    await this.each((place) => this.kill(place, 'SIGTERM'));
    between();
    await this.each((place) => this.run(place));
  }

  private copy(from: string, to: string): void {
    for (const { name } of this.nodes) {
      const [source, target] = [from, to].map((suffix) => join(this.folder, `${name}${suffix}`));
      rmSync(target, { recursive: true, force: true });
      if (existsSync(source)) cpSync(source, target, { recursive: true });
    }
  }

  private async each(act: (place: number) => Promise<void>): Promise<void> {
    await Promise.all(this.nodes.map((_, place) => act(place)));
  }

  private async prepare(): Promise<void> {
    for (let i = 0; i < NODES; i++) {
      const name = `n${i + 1}`;
      const config = join(this.folder, `${name}.conf`);
      const [port, routePort] = [await freePort(), await freePort()];
      this.nodes.push({ name, port, routePort, config, process: undefined, routes: new Map() });
    }
    for (const [i, node] of this.nodes.entries()) {
      for (const [j, other] of this.nodes.entries())
        if (i !== j) node.routes.set(j, await TcpProxy.start(other.routePort));
      writeFileSync(node.config, this.configOf(node));
    }
  }

  /** Nodes must not learn each other's real ports: they would go around the proxies. */
  private configOf({ name, port, routePort, routes }: Node): string {
    const urls = [...routes.values()].map((proxy) => `nats-route://127.0.0.1:${proxy.port}`);
    return `
      server_name: ${name}
      host: 127.0.0.1
      port: ${port}
      jetstream { store_dir: "${join(this.folder, name)}" }
      cluster {
        name: test
        listen: 127.0.0.1:${routePort}
        no_advertise: true
        connect_retries: 1000000
        routes: [ ${urls.map((url) => `"${url}"`).join(', ')} ]
      }
    `;
  }

  private routesOf(place: number): TcpProxy[] {
    const incoming = this.nodes.flatMap(({ routes }) => routes.get(place) ?? []);
    return [...this.nodes[place].routes.values(), ...incoming];
  }

  /** There is a leader, and it knows all nodes. */
  private async untilLed(): Promise<void> {
    await this.withManager(async ({ streams }) => {
      await streams.add({ name: 'ready', subjects: ['ready'], num_replicas: NODES });
      await streams.delete('ready');
    });
  }

  /** Again, until it has succeeded. */
  private async withManager(act: (manager: JetStreamManager) => Promise<void>): Promise<void> {
    const connection = await connect({ servers: this.servers });
    try {
      const end = performance.now() + READY_MS;
      for (;;) {
        try {
          return await act(await jetstreamManager(connection, { timeout: 2000 }));
        } catch (error) {
          if (performance.now() > end) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    } finally {
      await connection.close();
    }
  }
}
