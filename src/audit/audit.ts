/** The audit: one training for each protection on the same rows, the same attacks on what its coordinator saw. */
import { makeHarLike } from '../data/generate-har.ts';
import type { Table } from '../data/table.ts';
import type { ScenarioInput } from '../sim/scenario.ts';
import { type Attacks, huntedRows, type Leak, leakOf } from './attack.ts';
import { RowHunt } from './lying-coordinator.ts';
import { seenByParticipant, watch } from './watch.ts';

/** A protection that is compared, as a change of the scenario, and who attacks. */
interface Mode {
  readonly name: string;
  /** What is protected how; in one line. */
  readonly about: string;
  readonly changes: ScenarioInput;
  /** Default: a coordinator that looks and follows the protocol. `liar`: one that does not. `participant`: anybody who is sent w, and nothing else. */
  readonly onlooker?: 'participant' | 'liar';
}

const bernoulli = { kind: 'bernoulli', keep: 0.5 } as const;
const beta = { kind: 'beta', a: 2, b: 0.5, unmasked: 0.25 } as const;

/** The paper's masks are of steps. Its own rule, `sum`, diverges on much data. */
const STEPS = { aggregation: 'safe' } as const;

/** Nothing is measured for a scaling: its sums would not be covered. */
const PRIVATE = { scale: 'none', dp: { clip: 0.1, epsilon: 4, delta: 1e-5 } } as const;

/** Differential privacy does not protect from the coordinator, who adds the noise, but from those who are sent w. */
export const MODES = [
  { name: 'none', about: 'unprotected answers', changes: {} },
  { name: 'none, steps', about: 'unprotected safe steps', changes: STEPS },
  {
    name: 'bernoulli, paper',
    about: 'safe steps; each row left out with probability 0.5; v takes the whole step',
    changes: { ...STEPS, mask: { ...bernoulli, semantics: 'paper' } },
  },
  {
    name: 'bernoulli, consistent',
    about: 'answers; the change of each row left out with probability 0.5',
    changes: { mask: { ...bernoulli, semantics: 'consistent' } },
  },
  {
    name: 'beta, paper',
    about: 'safe steps; 75% of the rows scaled by Beta(2, 0.5); v takes the whole step',
    changes: { ...STEPS, mask: { ...beta, semantics: 'paper' } },
  },
  {
    name: 'beta, consistent',
    about: 'answers; the change of 75% of the rows scaled by Beta(2, 0.5)',
    changes: { mask: { ...beta, semantics: 'consistent' } },
  },
  {
    name: 'secure aggregation',
    about: 'the coordinator learns only sums',
    changes: { secure: true },
  },
  {
    name: 'secure, lying coordinator',
    about: 'the coordinator sends one participant special queries, and the others the query 0',
    // Enough for a row, if the sums were of any use.
    changes: { secure: true, rounds: 40 },
    onlooker: 'liar',
  },
  {
    name: 'secure aggregation and dp',
    about: 'the coordinator learns sums with noise: epsilon 4 at delta 1e-5, clip 0.1',
    changes: { secure: true, ...PRIVATE },
  },
  {
    name: 'none, to a participant',
    about: 'a participant sees w and no answers',
    changes: {},
    onlooker: 'participant',
  },
  {
    name: 'dp, to a participant',
    about: 'w carries noise: epsilon 4 at delta 1e-5, clip 0.1',
    changes: PRIVATE,
    onlooker: 'participant',
  },
] as const satisfies readonly Mode[];

export interface AuditSetting {
  readonly name: string;
  readonly table: Table;
  /** What all modes have in common. */
  readonly scenario: ScenarioInput;
}

interface ModeLeak {
  readonly mode: string;
  readonly about: string;
  readonly leak: Leak;
}

export interface AuditResult {
  readonly setting: string;
  readonly attacks: Attacks;
  readonly participants: number;
  /** Training rows of each participant, on average. */
  readonly rows: number;
  readonly features: number;
  readonly modes: readonly ModeLeak[];
}

export function audit(
  setting: AuditSetting,
  attacks: Attacks = 'full',
  onMode: (mode: string) => void = () => {},
  modes: readonly Mode[] = MODES,
): AuditResult {
  let rows = 0;
  const leaks = modes.map(({ name, about, changes, onlooker }) => {
    onMode(name);
    let hunt: RowHunt | undefined;
    const trained = watch(setting.table, { ...setting.scenario, ...changes }, (simulation) => {
      if (onlooker === 'liar') hunt = new RowHunt(simulation, simulation.participants.keys().next().value!);
    });
    const federation = onlooker === 'participant' ? seenByParticipant(trained) : trained;
    const all = federation.watched.reduce((sum, { truth }) => sum + truth.rows.length, 0);
    rows = all / federation.watched.length;
    const leak = leakOf(federation, bernoulliOf(changes), attacks);
    return { mode: name, about, leak: hunt ? { ...leak, rows: huntedRows(hunt, federation) } : leak };
  });
  const { participants, features } = setting.table;
  return {
    setting: setting.name,
    attacks,
    participants: participants.length,
    rows,
    features: features.length,
    modes: leaks,
  };
}

/** Only discrete masks can be enumerated. */
function bernoulliOf({ mask }: ScenarioInput) {
  return mask?.kind === 'bernoulli' ? (mask.semantics ?? 'consistent') : undefined;
}

/** Few features, few rows: d = 8, n_k = 4 and 20. As many rows again are kept aside, for membership. */
export function generatedSettings(seed: number): AuditSetting[] {
  return [4, 20].map((rows) => ({
    name: `generated, d = 8, n = ${rows}`,
    table: makeHarLike({ participants: 6, rowsPerParticipant: 2 * rows, features: 8, seed }),
    scenario: { ...COMMON, seed },
  }));
}

/** One's own data: at most 100 training rows of each of 20 people. */
export function givenSetting(table: Table, seed: number, positive: string | undefined): AuditSetting {
  return {
    name: table.source,
    table,
    scenario: { ...COMMON, seed, trainRows: 100, ...(positive !== undefined && { positive }) },
  };
}

/** A training that a user might plausibly run, and that the attacks like: one pass for each round, many rounds. */
const COMMON = { passes: 1, rounds: 100, gap: 1e-3, c1: 1, c2: 1, testFraction: 0.5 } as const;
