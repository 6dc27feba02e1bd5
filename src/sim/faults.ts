/** What goes wrong in a simulation, and when: all of it written down beforehand, so that it can be repeated and shrunk. */
import type { ScenarioValues } from '../settings/scenario.ts';

/** A node crashes in its `step`-th step, after so many of that step's effects, and is back after a while. */
export type Crash = ScenarioValues['crashes'][number];

/** What an operator or a participant does at a moment. */
export type Operation = ScenarioValues['deeds'][number];

/** Counts steps and decides when a node does not survive one. */
export class CrashPlan {
  private readonly crashes: readonly Crash[];
  private readonly steps = new Map<string, number>();
  private readonly onCrash: (crash: Crash) => void;

  constructor(crashes: readonly Crash[], onCrash: (crash: Crash) => void) {
    this.crashes = crashes;
    this.onCrash = onCrash;
  }

  /** How many effects of this step are carried out: all of them and no crash if it is more than there are. */
  survives(node: string, effects: number): number {
    if (this.crashes.length === 0) return effects + 1;
    const step = (this.steps.get(node) ?? 0) + 1;
    this.steps.set(node, step);
    const crash = this.crashes.find((candidate) => candidate.node === node && candidate.step === step);
    if (!crash) return effects + 1;
    this.onCrash(crash);
    return Math.min(crash.afterEffects, effects);
  }
}
