/** The paper's figure 3: the messages of a training of two participants, drawn from the transcript of a real run. */
import { experiment } from '../experiment.ts';

export const sequence = experiment({
  title: 'The messages of two participants',
  paper: 'section 3.1',
  tunings: () => ({}),
  jobs: () => ({
    chart: {
      kind: 'sequence',
      table: { kind: 'har', participants: 2, rows: 40, features: 24, seed: 3 },
      scenario: {
        name: 'Two participants, the second one slower',
        passes: 10,
        rounds: 4,
        seed: 5,
        hardware: [1, 0.8],
        straggler: 'restart',
        waiting: { kind: 'fixed', ms: 9 },
        summationMs: 3,
        compute: { spread: 0.25 },
        link: { delayMs: 1 },
      },
      rounds: { from: 0, to: 3 },
    },
  }),
  outcome: (_profile, _constants, results) => ({
    text: [
      'Drawn from the transcript of a simulated run of the two machines that also run on the network, not from a sketch. The waiting period is shorter than the solves of the second participant often take.',
    ],
    figures: [
      {
        id: 'sequence',
        title: 'Message sequence chart',
        caption:
          'Time runs down. A participant that is still computing when the next round opens drops its work and starts again from the new w (the policy of the paper); an answer that comes while the coordinator is summing is answered, and not taken.',
        columns: 1,
        panels: [{ kind: 'svg', title: '', svg: results.chart.svg }],
      },
    ],
    tables: [],
    findings: {},
  }),
});
