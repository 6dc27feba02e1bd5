/**
 * A federation in virtual time: the two real machines, their real messages as real bytes, and a clock, a network, devices
 * and disks that are not. The same seed and the same plan of faults give the same run, to the last bit.
 */
import type { CoordinatorOptions } from '../coordinator/options.ts';
import type { RoundRow } from '../coordinator/round-row.ts';
import { Arena } from '../math/arena.ts';
import { noblePrimitives, type Primitives } from '../privacy/secure/keys.ts';
import type { ComputeModel } from './compute.ts';
import { COORDINATOR, CoordinatorNode } from './coordinator-node.ts';
import { EventQueue } from './events.ts';
import { type Crash, CrashPlan, type Operation } from './faults.ts';
import { Misbehaving, type Misbehaviour } from './misbehaving.ts';
import { type LinkFaults, Network, type Partition } from './network.ts';
import { type ParticipantData, ParticipantNode } from './participant-node.ts';
import type { MachineObserver } from './ports.ts';
import { rememberingPrimitives, simulatedSecret } from './secrets.ts';
import { Transcript } from './transcript.ts';

export interface SimulationPlan {
  readonly options: CoordinatorOptions;
  readonly participants: readonly ParticipantData[];
  readonly compute: ComputeModel;
  readonly link: LinkFaults;
  readonly partitions: readonly Partition[];
  readonly crashes: readonly Crash[];
  readonly deeds: readonly Operation[];
  readonly misbehaving?: readonly Misbehaviour[];
  /** When each participant starts; default: all at 0. */
  readonly startMs?: (id: string) => number;
  readonly seed: number;
  /** When virtual time ends. */
  readonly untilMs: number;
  readonly transcript: 'on' | 'off';
  readonly arena?: Arena;
  /** Key agreement and signatures of secure aggregation; default: the portable ones. */
  readonly primitives?: Primitives;
  readonly observerOf?: (node: string) => MachineObserver | undefined;
  /** By participant, the branch that it belongs to: the coordinator's members are the branches; absent: they are the participants. */
  readonly branchOf?: (participant: string) => string;
  /** By branch, the one above it; undefined: the coordinator. Absent: of all. */
  readonly parentOf?: (branch: string) => string | undefined;
}

export class Simulation {
  readonly coordinator: CoordinatorNode;
  /** Of a tree, by name. */
  readonly branches: ReadonlyMap<string, CoordinatorNode>;
  readonly participants: ReadonlyMap<string, ParticipantNode>;
  readonly rows: RoundRow[] = [];
  readonly transcript: Transcript;
  readonly queue = new EventQueue();
  /** Called when a round closes, after its row was added. */
  onRow: ((row: RoundRow) => void) | undefined;
  private readonly plan: SimulationPlan;
  private readonly network: Network;
  /** The last participant, in order, that was not done when everybody was asked. */
  private awaited: ParticipantNode | undefined;

  constructor(plan: SimulationPlan) {
    this.plan = plan;
    const { queue } = this;
    const { seed, compute, observerOf } = plan;
    this.transcript = new Transcript(plan.transcript);
    this.network = new Network(queue, seed, plan.link, plan.partitions);
    const ports = {
      queue,
      network: this.network,
      transcript: this.transcript,
      crashes: new CrashPlan(plan.crashes, (crash) => this.comeBack(crash)),
      primitives: rememberingPrimitives(plan.primitives ?? noblePrimitives),
      observerOf,
    };
    const toMember = (to: string, frame: Uint8Array) => {
      const branch = this.branches.get(to);
      if (branch) branch.receiveFromAbove(frame);
      else this.participants.get(to)?.receive(frame);
    };
    const { leaves, inner } = branchesIn(plan);
    this.branches = new Map(
      [...leaves, ...inner].map((name) => {
        const toParent = (frame: Uint8Array) => this.parentOf(name).receive(name, frame);
        const below = inner.has(name) ? 'groups' : 'participants';
        const own = { ...ports, toMember, toParent, onRow: () => {} };
        return [name, new CoordinatorNode(plan.options, own, { name, below })];
      }),
    );
    this.coordinator = new CoordinatorNode(
      plan.options,
      {
        ...ports,
        toMember,
        onRow: (row) => {
          this.rows.push(row);
          this.onRow?.(row);
        },
      },
      { name: COORDINATOR, below: leaves.size > 0 ? 'groups' : 'participants' },
    );
    const own = {
      ...ports,
      ...{ compute, seed, arena: plan.arena ?? new Arena() },
      toCoordinator: (from: string, frame: Uint8Array) => this.aboveOf(from).receive(from, frame),
    };
    this.participants = new Map(
      plan.participants.map((data) => {
        const { id, rows } = data.profile;
        const behaviour = plan.misbehaving?.find(({ participant }) => participant === id);
        const misbehaving = behaviour && new Misbehaving(behaviour, rows, seed);
        return [id, new ParticipantNode(withSecret(data, plan), own, misbehaving)];
      }),
    );
  }

  /** The coordinator that a participant talks to. */
  private aboveOf(participant: string): CoordinatorNode {
    const { branchOf } = this.plan;
    return (branchOf && this.branches.get(branchOf(participant))) ?? this.coordinator;
  }

  private parentOf(branch: string): CoordinatorNode {
    const parent = this.plan.parentOf?.(branch);
    return (parent !== undefined && this.branches.get(parent)) || this.coordinator;
  }

  get bytes(): Network['bytes'] {
    return this.network.bytes;
  }

  /** Runs until everybody is done, or nothing more can happen, or virtual time ends. */
  run(): this {
    return this.runUntil(() => this.over);
  }

  runUntil(isOver: () => boolean): this {
    const { queue, plan } = this;
    queue.at(0, () => this.coordinator.start());
    for (const branch of this.branches.values()) queue.at(0, () => branch.start());
    for (const node of this.participants.values()) queue.at(plan.startMs?.(node.id) ?? 0, () => node.start());
    for (const operation of plan.deeds) queue.at(operation.atMs, () => this.perform(operation));
    while (!isOver() && queue.next(plan.untilMs));
    return this;
  }

  /** Who is connected to a coordinator: branches or participants. */
  below(node: CoordinatorNode): string[] {
    const branches = [...this.branches.values()].filter((one) => this.parentOf(one.role.name) === node);
    const participants = [...this.participants.values()].filter(({ id }) => this.aboveOf(id) === node);
    return node.role.below === 'groups'
      ? branches.map(({ role }) => role.name)
      : participants.map(({ id }) => id);
  }

  /** Training has ended and everybody knows. */
  get over(): boolean {
    if (this.coordinator.state?.phase !== 'finished') return false;
    // Asked after every event: whoever was not done the last time is asked first.
    if (this.awaited && !this.awaited.over) return false;
    for (const node of this.participants.values()) if (!node.over) this.awaited = node;
    return this.awaited === undefined || this.awaited.over;
  }

  private comeBack(crash: Crash): void {
    const node =
      crash.node === COORDINATOR
        ? this.coordinator
        : (this.branches.get(crash.node) ?? this.participants.get(crash.node));
    this.queue.at(this.queue.now + crash.downMs, () => node?.start());
  }

  private perform({ kind, participant }: Operation): void {
    const { now } = this.queue;
    const node = participant === undefined ? undefined : this.participants.get(participant);
    switch (kind) {
      case 'leave':
        node?.take({ type: 'leave' });
        break;
      case 'rejoin':
        node?.comeAgain();
        break;
      case 'forget':
        if (participant !== undefined)
          this.aboveOf(participant).take({ type: 'forget', id: participant, now });
        break;
      case 'pause':
      case 'resume':
        this.transcript.note(now, COORDINATOR, `is told to ${kind}`);
        this.coordinator.take({ type: kind, now });
        break;
      case 'finish':
        this.coordinator.take({ type: kind, now });
        break;
    }
  }
}

/** Branches of participants, and those above them. */
function branchesIn({ participants, branchOf, parentOf }: SimulationPlan) {
  const leaves = new Set(branchOf ? participants.map(({ profile }) => branchOf(profile.id)) : []);
  const inner = new Set<string>();
  for (const leaf of leaves)
    for (let parent = parentOf?.(leaf); parent !== undefined; parent = parentOf?.(parent)) inner.add(parent);
  return { leaves, inner };
}

/** Everybody takes part in secure sums, or nobody does. */
function withSecret(data: ParticipantData, { options, seed }: SimulationPlan): ParticipantData {
  if (!options.secure) return data;
  const { profile } = data;
  return { ...data, profile: { ...profile, secure: { secret: simulatedSecret(seed, profile.id) } } };
}
