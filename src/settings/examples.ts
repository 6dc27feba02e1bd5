/** Documents that show how settings are written; tests read and run them. */

export interface Example {
  readonly about: string;
  readonly json: object;
}

export const FEDERATION_EXAMPLES: readonly Example[] = [
  {
    about: 'A federation that waits for three participants and uses secure aggregation:',
    json: {
      name: 'wards',
      options: {
        c1: 10,
        c2: 0.1,
        minParticipants: 3,
        waiting: { kind: 'share', share: 0.9 },
        maxWaitMs: 30_000,
        secure: { dropout: 0.25 },
        stop: { gap: 1e-4, rounds: 500 },
      },
    },
  },
  {
    about:
      'Options alone, without a name. Differential privacy clips every update and adds noise to every round:',
    json: {
      minParticipants: 10,
      scale: 'none',
      dp: { clip: 1, epsilon: 4, delta: 1e-5 },
      stop: { rounds: 30 },
    },
  },
  {
    about: 'Updates with an unusually large norm are clipped, and contributions are scored:',
    json: { defence: { robust: { quantile: 0.5, factor: 2 }, refuseAbove: 1000, scores: 'on' } },
  },
];

export const SCENARIO_EXAMPLES: readonly Example[] = [
  {
    about:
      'Twelve generated participants with devices of increasing speed, a network that loses messages, a crash of the coordinator and a participant that leaves:',
    json: {
      name: 'A bad network',
      data: { generator: 'har', participants: 12, rows: 120, features: 60 },
      c2: 0.1,
      waiting: { kind: 'share', share: 0.75 },
      hardware: 'rising',
      link: { delayMs: 40, jitterMs: 20, loss: 0.02 },
      retryMs: 500,
      maxWaitMs: 5000,
      crashes: [{ node: 'coordinator', step: 60, downMs: 2000 }],
      deeds: [{ atMs: 4000, kind: 'leave', participant: '3' }],
      rounds: 100,
    },
  },
  {
    about: 'Your own data, in a file next to the scenario, and three runs with different seeds:',
    json: {
      name: 'My rows',
      data: { file: 'rows.csv', task: 'patient', label: 'score', separator: ';', decimal: 'comma' },
      objective: 'regression',
      repeats: 3,
    },
  },
];
