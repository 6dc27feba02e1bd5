/**
 * A federation in virtual time: the two real machines, their real messages as real bytes, and a clock, a network, devices
 * and disks that are not. The same seed and the same plan of faults give the same run, to the last bit.
 */
import type { CoordinatorOptions } from '../coordinator/options.ts';
import type { RoundRow } from '../coordinator/state.ts';
import { Arena } from '../math/arena.ts';
import { noblePrimitives, type Primitives } from '../privacy/secure/keys.ts';
import type { ComputeModel } from './compute.ts';
import { COORDINATOR, CoordinatorNode } from './coordinator-node.ts';
import { EventQueue } from './events.ts';
import { type Crash, CrashPlan, type Deed } from './faults.ts';
import type { MachineObserver } from './machine-observer.ts';
import { Misbehaving, type Misbehaviour } from './misbehaving.ts';
import { type LinkFaults, Network, type Partition, type Traffic } from './network.ts';
import { type ParticipantData, ParticipantNode } from './participant-node.ts';
import { rememberingPrimitives, simulatedSecret } from './secrets.ts';
import { Transcript } from './transcript.ts';

export interface SimulationPlan {
  readonly options: CoordinatorOptions;
  readonly participants: readonly ParticipantData[];
  readonly compute: ComputeModel;
  readonly link: LinkFaults;
  readonly partitions: readonly Partition[];
  readonly crashes: readonly Crash[];
  readonly deeds: readonly Deed[];
  readonly misbehaving?: readonly Misbehaviour[];
  /** When each participant starts; default: all at 0. */
  readonly startMs?: (id: string) => number;
  readonly seed: number;
  /** The end of the world. */
  readonly untilMs: number;
  readonly transcript: 'on' | 'off';
  readonly arena?: Arena;
  /** Key agreement and signatures of secure aggregation; default: the portable ones. */
  readonly primitives?: Primitives;
  /** Sees every step of a node's machine. */
  readonly observerOf?: (node: string) => MachineObserver | undefined;
}

export class Simulation {
  readonly coordinator: CoordinatorNode;
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
    this.transcript = new Transcript(plan.transcript);
    const { transcript } = this;
    this.network = new Network(queue, plan.seed, plan.link, plan.partitions);
    const { network } = this;
    const crashes = new CrashPlan(plan.crashes, (crash) => this.comeBack(crash));
    const primitives = rememberingPrimitives(plan.primitives ?? noblePrimitives);
    this.coordinator = new CoordinatorNode(
      plan.options,
      {
        queue,
        network,
        transcript,
        toParticipant: (to, frame) => this.participants.get(to)?.receive(frame),
        onRow: (row) => {
          this.rows.push(row);
          this.onRow?.(row);
        },
        primitives,
        observerOf: plan.observerOf,
      },
      crashes,
    );
    const arena = plan.arena ?? new Arena();
    const toCoordinator = (from: string, frame: Uint8Array) => this.coordinator.receive(from, frame);
    const world = {
      queue,
      network,
      transcript,
      arena,
      compute: plan.compute,
      seed: plan.seed,
      toCoordinator,
      primitives,
      observerOf: plan.observerOf,
    };
    this.participants = new Map(
      plan.participants.map((data) => {
        const { id, rows } = data.profile;
        const deed = plan.misbehaving?.find(({ participant }) => participant === id);
        const misbehaving = deed && new Misbehaving(deed, rows, plan.seed);
        return [id, new ParticipantNode(withSecret(data, plan), world, crashes, misbehaving)];
      }),
    );
  }

  get traffic(): { readonly up: Traffic; readonly down: Traffic } {
    return { up: this.network.up, down: this.network.down };
  }

  /** Runs until everybody is done, or nothing more can happen, or the world ends. */
  run(): this {
    const { queue, plan } = this;
    queue.at(0, () => this.coordinator.start());
    for (const node of this.participants.values()) queue.at(plan.startMs?.(node.id) ?? 0, () => node.start());
    for (const deed of plan.deeds) queue.at(deed.atMs, () => this.perform(deed));
    while (!this.over && queue.next(plan.untilMs));
    return this;
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
    const node = crash.node === COORDINATOR ? this.coordinator : this.participants.get(crash.node);
    this.queue.at(this.queue.now + crash.downMs, () => node?.start());
  }

  private perform({ kind, participant }: Deed): void {
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
        if (participant !== undefined) this.coordinator.take({ type: 'forget', id: participant, now });
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

/** Everybody takes part in secret sums, or nobody does. */
function withSecret(data: ParticipantData, { options, seed }: SimulationPlan): ParticipantData {
  if (!options.secure) return data;
  const { profile } = data;
  return { ...data, profile: { ...profile, secure: { secret: simulatedSecret(seed, profile.id) } } };
}
