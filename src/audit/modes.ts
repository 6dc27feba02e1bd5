/** The protections that the audit compares, each as a change of the scenario, and who attacks. */
import type { ScenarioInput } from '../sim/scenario.ts';

export interface Mode {
  readonly name: string;
  /** What is protected how; in one line. */
  readonly about: string;
  readonly changes: ScenarioInput;
  /** Default: the coordinator. `participant`: anybody who is sent w, and nothing else. */
  readonly onlooker?: 'participant';
}

const bernoulli = { kind: 'bernoulli', keep: 0.5 } as const;
const beta = { kind: 'beta', a: 2, b: 0.5, unmasked: 0.25 } as const;

/** The paper's masks are of steps. Its own rule, `sum`, diverges on much data. */
const STEPS = { aggregation: 'safe' } as const;

/** Differential privacy does not protect from the coordinator, who adds the noise, but from those who are sent w. */
export const MODES = [
  { name: 'none', about: 'answers as they are', changes: {} },
  { name: 'none, steps', about: 'safe steps as they are', changes: STEPS },
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
    about: 'the coordinator learns sums only',
    changes: { secure: true },
  },
  {
    name: 'secure aggregation and dp',
    about: 'the coordinator learns sums with noise: epsilon 4 at delta 1e-5, clip 0.1',
    changes: { secure: true, dp: { clip: 0.1, epsilon: 4, delta: 1e-5 } },
  },
  {
    name: 'none, to a participant',
    about: 'who takes part sees w and no answer',
    changes: {},
    onlooker: 'participant',
  },
  {
    name: 'dp, to a participant',
    about: 'w carries noise: epsilon 4 at delta 1e-5, clip 0.1',
    changes: { dp: { clip: 0.1, epsilon: 4, delta: 1e-5 } },
    onlooker: 'participant',
  },
] as const satisfies readonly Mode[];
