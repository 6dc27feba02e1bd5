/** A reproduction on a terminal: the verdicts, and where the report is. */
import { join } from 'node:path';
import type { Reproduction } from '../reproduce/reproduce.ts';
import { duration } from './number-text.ts';
import type { ReproductionContext } from './reproduce-files.ts';
import type { Style } from './style.ts';
import { labelled, textTable } from './text-table.ts';

export function reproduceSummary(
  { verdicts }: Reproduction,
  { profile, folder, tookMs }: ReproductionContext,
  style: Style,
): string[] {
  const counted = (['holds', 'holds in part', 'does not hold'] as const).map(
    (verdict) => `${verdicts.filter((row) => row.verdict === verdict).length} ${verdict}`,
  );
  const table = textTable(
    [
      { title: 'section', align: 'left' },
      { title: 'claim', align: 'left' },
      { title: 'verdict', align: 'left' },
    ],
    verdicts.map(({ section, id, verdict }) => [section, id, verdict]),
    style,
  );
  return [
    labelled('Data', profile.classification.name, style),
    labelled('Repeats', String(profile.seeds.length), style),
    '',
    ...(verdicts.length > 0 ? [...table, ''] : []),
    labelled(
      'Claims',
      verdicts.length > 0 ? counted.join(', ') : 'none: the experiments asked for decide no claim',
      style,
    ),
    labelled('Report', join(folder, 'report.html'), style),
    labelled('Time', duration(tookMs), style),
  ];
}
