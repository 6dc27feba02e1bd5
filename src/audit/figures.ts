/** The audit as pictures: what was recovered, and the ROC curves of membership. */
import { type Figure, levelColour, type Panel } from '../charts/figure.ts';
import type { AuditResult } from './audit.ts';

export function auditFigures(results: readonly AuditResult[]): Figure[] {
  return [recoveredFigure(results), membershipFigure(results)];
}

function recoveredFigure(results: readonly AuditResult[]): Figure {
  const panels = results.map(
    ({ setting, modes }): Panel => ({
      kind: 'bars',
      title: setting,
      y: { title: 'share recovered', scale: 'linear', low: 0, high: 1 },
      groups: modes.map(({ mode, leak }) => ({
        name: mode,
        bars: [
          { name: 'personal part (cosine)', colour: levelColour(0, 4), value: leak.personal.cosine },
          { name: 'rows to 1%', colour: levelColour(2, 4), value: leak.rows.recovered },
          ...(leak.equations
            ? [{ name: 'rows by equations', colour: levelColour(3, 4), value: leak.equations.recovered }]
            : []),
        ],
      })),
    }),
  );
  return {
    id: 'audit-recovered',
    title: 'What the coordinator recovers',
    caption:
      'Without protection the coordinator recovers the personal part exactly, and rows where there are few. Masks reduce what is recovered, but do not prevent it; with secure aggregation only the sum is visible.',
    panels,
    columns: 1,
  };
}

function membershipFigure(results: readonly AuditResult[]): Figure {
  const panels = results.map(
    ({ setting, modes }): Panel => ({
      kind: 'lines',
      title: setting,
      x: { title: 'false alarms', scale: 'linear', low: 0, high: 1 },
      y: { title: 'hits', scale: 'linear', low: 0, high: 1 },
      series: [
        ...modes.map(({ mode, leak }, i) => ({
          name: mode,
          colour: levelColour(i, modes.length),
          shape: 'line' as const,
          points: leak.membership.points.map(({ falseAlarms, hits }) => ({ x: falseAlarms, y: hits })),
        })),
        {
          name: 'chance',
          colour: '#999999',
          dash: '3 3',
          shape: 'line' as const,
          points: [0, 1].map((share) => ({ x: share, y: share })),
        },
      ],
    }),
  );
  return {
    id: 'audit-membership',
    title: 'Who was in the training rows?',
    caption:
      'Membership inference: the further above the diagonal, the better the coordinator recognises single rows.',
    panels,
    columns: results.length > 1 ? 2 : 1,
  };
}
