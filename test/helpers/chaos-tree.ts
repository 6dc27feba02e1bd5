/**
 * A tree on a cluster of three nats-servers that things happen to, all in this process: every part has its own way to NATS, which can be cut,
 * and gateways have their own way to participants. A crash is a part whose ways are cut for good, so that nothing that it still does reaches
 * anybody; another one is started in its place.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import { Bus } from '../../src/nats/bus.ts';
import { connectNats } from '../../src/nats/connection.ts';
import { jetStreamAddress } from '../../src/nats/store-address.ts';
import { Subjects } from '../../src/nats/subjects.ts';
import { GatewayServer } from '../../src/node/gateway/gateway-server.ts';
import { Owner } from '../../src/node/owner/owner.ts';
import { Root, type RootOptions } from '../../src/node/root/root.ts';
import type { Federation } from '../../src/node/server/federation.ts';
import { Balancer, portOf } from './balancer.ts';
import { type NatsCluster, NODES } from './nats-cluster.ts';

const TTL_MS = 3000;
const BEAT_MS = 250;
const JOURNAL_SHOWN = 60;

interface TreePlan {
  readonly nats: NatsCluster;
  /** On the cluster, which trees use one after the other. */
  readonly namespace: string;
  readonly options: CoordinatorOptions;
  readonly shape: Pick<RootOptions, 'shards' | 'fanIn'>;
}

export type Role = 'root' | 'gateway' | 'owner';

/** A closed round, and what it was about: bounds of the same problem only get better. */
export interface SeenRow {
  readonly row: RoundRow;
  readonly problem: string;
}

interface Part {
  readonly role: Role;
  readonly proxy: Balancer;
  /** Of a gateway: where participants come in. */
  readonly front?: Balancer | undefined;
  readonly root?: Root | undefined;
  readonly owner?: Owner | undefined;
  close(): Promise<unknown>;
}

export class ChaosTree {
  readonly entrance: Balancer;
  readonly rows: SeenRow[] = [];
  /** Of roots and owners: what a test that has failed shows. */
  readonly journal: string[] = [];
  private readonly plan: TreePlan;
  private readonly startMs = performance.now();
  private readonly parts = new Set<Part>();
  private readonly gone: Promise<unknown>[] = [];
  /** Counts what gives the federation another beginning. */
  private rollbacks = 0;

  private constructor(plan: TreePlan, entrance: Balancer) {
    this.plan = plan;
    this.entrance = entrance;
  }

  static async start(plan: TreePlan): Promise<ChaosTree> {
    const tree = new ChaosTree(plan, await Balancer.start());
    // So that training takes about as long as things happen.
    tree.entrance.delayMs = 25;
    const roles: Role[] = ['root', 'root', 'gateway', 'gateway', 'owner', 'owner'];
    await Promise.all(roles.map((role) => tree.add(role)));
    return tree;
  }

  /** Undefined: nobody leads at the moment. */
  get federation(): Federation | undefined {
    const leading = [...this.parts].flatMap(({ root }) => root?.server ?? []);
    return leading[0]?.federations.get('default');
  }

  async add(role: Role): Promise<void> {
    const proxy = await Balancer.start(...this.plan.nats.ports);
    const connection = await this.connected(proxy.port);
    const bus = new Bus(connection);
    const subjects = new Subjects(this.plan.namespace);
    const name = `${role} ${this.parts.size}`;
    const log = this.logOf(name);
    const common = { connection, bus, subjects, name, log, beatMs: BEAT_MS, ttlMs: TTL_MS, patienceMs: 1500 };
    if (role === 'root') {
      const root = new Root({
        ...{ ...common, ...this.plan.shape, silentMs: 6 * BEAT_MS },
        store: jetStreamAddress(`${this.plan.nats.address}/${this.plan.namespace}?replicas=${NODES}`),
        server: { recorderFor: () => this.recorder() },
        prepare: async (server) => void (await server.ensure('default', this.plan.options)),
      });
      const running = root.run().catch((error: unknown) => log.error({ err: error }, 'ended'));
      this.parts.add({
        role,
        proxy,
        root,
        close: () => Promise.all([root.close(), running, connection.close()]),
      });
    } else if (role === 'owner') {
      const owner = new Owner({ ...common, returnMs: 1000 });
      owner.start();
      this.parts.add({ role, proxy, owner, close: () => owner.close().then(() => connection.close()) });
    } else {
      const gateway = new GatewayServer({ ...common, namespaces: [common.subjects] });
      await gateway.listen();
      const front = await Balancer.start(portOf(gateway.url));
      this.parts.add({ role, proxy, front, close: () => gateway.close().then(() => connection.close()) });
      this.entrance.targets = [...this.entrance.targets, front.port];
    }
  }

  /** `which`: any number. A root that leads is preferred to one that stands by. */
  async crash(role: Role, which: number): Promise<void> {
    const part = this.pick(role, which);
    this.parts.delete(part);
    part.proxy.isCut = true;
    if (part.front) {
      this.entrance.targets = this.entrance.targets.filter((port) => port !== part.front!.port);
      part.front.drop();
      this.gone.push(part.front.stop());
    }
    part.proxy.drop();
    // What it does from now on reaches nobody; it ends when it has noticed.
    this.gone.push(part.close().finally(() => part.proxy.stop()));
    await this.add(role);
  }

  async partition(role: Role, which: number, ms: number): Promise<void> {
    const { proxy } = this.pick(role, which);
    proxy.isCut = true;
    await pause(ms);
    proxy.isCut = false;
    // What was lost on the way has torn the stream of bytes.
    proxy.drop();
  }

  /** The others go on without it, after an election if it was the leader of something. */
  async killNode(node: number, ms: number): Promise<void> {
    await this.plan.nats.kill(node);
    await pause(ms);
    await this.plan.nats.run(node);
  }

  /** From the other nodes: its clients do not notice it by themselves. */
  async cutOffNode(node: number, ms: number): Promise<void> {
    this.plan.nats.cutOff(node);
    await pause(ms);
    this.plan.nats.heal(node);
  }

  async pauseNode(node: number, ms: number): Promise<void> {
    this.plan.nats.pause(node);
    await pause(ms);
    this.plan.nats.resume(node);
  }

  /** Everything in JetStream as it was before `act`: no part knows of it. */
  async rollBack(act: () => Promise<unknown>): Promise<void> {
    await this.plan.nats.rollBack(act, () => this.rollbacks++);
  }

  async close(): Promise<void> {
    const parts = [...this.parts];
    await this.entrance.stop();
    await Promise.all(parts.map((part) => part.close().finally(() => part.proxy.stop())));
    for (const { front } of parts) await front?.stop();
    await Promise.all(this.gone);
  }

  /** For a test that has failed. */
  describe(): string {
    const root = this.federation?.host.state;
    const groups = [...(root?.members.values() ?? [])].map(
      ({ id, session, answered }) => `${id} ${session} ${answered}`,
    );
    const shards = [...this.parts].flatMap(({ owner }) =>
      [...(owner?.shards() ?? [])].map(({ shard, host: { host, connected } }) => {
        const { phase, round, members, rejections, above } = host.state;
        const refused = JSON.stringify([...rejections]);
        return `shard ${shard} ${phase} ${round}, ${members.size} members, ${connected} here, awaited ${above?.awaited}, base ${above?.base}, ${refused}`;
      }),
    );
    const refused = JSON.stringify([...(root?.rejections ?? [])]);
    const end = this.journal.slice(-JOURNAL_SHOWN).join('\n');
    return `root ${root?.phase} ${root?.round} (${groups.join(', ')}) ${refused}; ${shards.join('; ')}\n${end}`;
  }

  private logOf(name: string): Logger {
    const write = (line: string) => {
      const { level, time, pid, hostname, err, msg, ...more } = JSON.parse(line);
      const atMs = Math.round(performance.now() - this.startMs);
      const why = err ? `${err.code ?? err.type} ${err.message}` : '';
      this.journal.push(`${atMs} ${name}: ${msg} ${JSON.stringify(more)} ${why}`);
    };
    // Gateways say that nobody answers, again and again.
    return pino({ level: name.startsWith('gateway') ? 'silent' : 'info' }, { write });
  }

  private pick(role: Role, which: number): Part {
    const all = [...this.parts].filter((part) => part.role === role);
    return all.find(({ root }) => root?.server) ?? all[which % all.length];
  }

  private recorder() {
    return {
      started: () => {},
      step: (_: unknown, effects: readonly { readonly type: string }[]) => {
        for (const effect of effects)
          if (effect.type === 'row') this.noteRow((effect as unknown as SeenRow).row);
      },
    };
  }

  private noteRow(row: RoundRow): void {
    const members = [...(this.federation?.host.state.members.values() ?? [])];
    const groups = members.map(({ id, behind }) => `${id} ${behind?.participants} ${behind?.renewed}`);
    this.rows.push({ row, problem: `${this.rollbacks}: ${groups.join(', ')} but ${row.missing}` });
  }

  /** NATS may be down at this moment. */
  private async connected(port: number) {
    for (;;) {
      try {
        return await connectNats({ servers: [`127.0.0.1:${port}`], name: 'chaos' });
      } catch {
        await pause(100);
      }
    }
  }
}
