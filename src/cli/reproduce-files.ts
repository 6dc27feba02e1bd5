/** The files of a reproduction: the report, its figures, and the numbers behind them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { curvesCsv } from '../charts/csv.ts';
import { drawFigure } from '../charts/draw.ts';
import { onFile } from '../node/files/file-error.ts';
import { writeAtomically } from '../node/files/files.ts';
import type { Profile } from '../reproduce/profile.ts';
import { reportHtml } from '../reproduce/report/html.ts';
import { verdictMarkdown } from '../reproduce/report/markdown.ts';
import type { Report } from '../reproduce/report/report.ts';
import type { Reproduction } from '../reproduce/reproduce.ts';
import { count } from './number-text.ts';

export async function writeReproduction(
  reproduction: Reproduction,
  command: string,
  profile: Profile,
  folder: string,
): Promise<void> {
  for (const name of ['figures', 'data'])
    await onFile(join(folder, name), () => mkdir(join(folder, name), { recursive: true }));
  const write = (name: string, text: string) => writeAtomically(join(folder, name), [text]);
  const { sections, verdicts, findings } = reproduction;
  for (const { id, title, figures, tables } of sections) {
    for (const figure of figures) {
      await write(`figures/${figure.id}.svg`, drawFigure(figure));
      await write(`data/${figure.id}.csv`, curvesCsv(figure));
    }
    const document = { id, title, command, findings: findings[id as keyof typeof findings], tables, figures };
    await write(`data/${id}.json`, `${JSON.stringify(document, null, 1)}\n`);
  }
  await write('verdicts.json', `${JSON.stringify(verdicts, null, 2)}\n`);
  await write('verdicts.md', verdictMarkdown(verdicts));
  await write('report.html', reportHtml(reportOf(reproduction, command, profile)));
}

function reportOf({ sections, verdicts }: Reproduction, command: string, profile: Profile): Report {
  const { classification, regression, seeds, folds, passes } = profile;
  const { rows, features, name } = classification;
  return {
    title: 'Reproduction of the paper',
    subtitle:
      'Multi-Task Model Personalization for Federated Supervised SVM in Heterogeneous Networks (arXiv 2303.10254): every experiment, with a verdict on every claim, computed from the numbers below.',
    command,
    facts: [
      [
        'Classification data',
        `${name}: about ${count(Math.round(rows))} rows of each participant, ${count(features)} features`,
      ],
      [
        'Regression data',
        `synthetic: ${regression.participants} tasks of ${regression.rows} rows and ${regression.features} features, SNR 20 dB`,
      ],
      ['Repeats', `${seeds.length}: other splits and delays each, and for regression other data`],
      [
        'Constants',
        `chosen by ${folds}-fold cross-validation on the training rows of each repeat, for every method; printed in every section`,
      ],
      [
        'Federations',
        `simulated in virtual time with the machines that run on the network; rounds of up to ${passes} local passes`,
      ],
    ],
    verdicts,
    sections,
  };
}
