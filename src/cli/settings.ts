/** kindred settings: the reference of settings, an example to start from, or a JSON schema, without a network. */
import type { Command } from 'commander';
import { SECTIONS, type Section, sectionSchema, settingRows } from '../settings/document.ts';
import { finish, oneOf, refuse } from './flags.ts';
import { type Io, writeJson } from './io.ts';
import { type Layout, wrapped, writeResult } from './layout.ts';

interface Flags {
  readonly example?: true;
  readonly json?: true;
}

type Name = keyof typeof SECTIONS;
const NAMES = Object.keys(SECTIONS) as Name[];

export function addSettingsCommand(program: Command, io: Io): void {
  const command = program
    .command('settings')
    .description('Print the settings reference of a section: values, defaults, meaning.')
    .argument('<section>', NAMES.join(', '))
    .option('--example', 'print only an example document, as a starting point')
    .action((section: string, flags: Flags) =>
      runSettings(io, oneOf('argument <section>', NAMES)(section), flags),
    );
  finish(
    command,
    'kindred settings federation',
    'kindred settings scenario --example > scenario.json',
    'kindred settings scenario --json > scenario.schema.json',
  );
}

async function runSettings(io: Io, name: Name, { example, json }: Flags): Promise<void> {
  const section: Section = SECTIONS[name];
  if (!example) {
    await writeResult(io, json ? { json } : {}, sectionSchema(section), (layout) => report(section, layout));
    return;
  }
  const [first] = section.examples;
  if (!first) refuse('--example', 'federation or scenario, which are written as files', name);
  await writeJson(io, first.json);
}

function report(section: Section, { bold }: Layout): string[] {
  const examples = section.examples.flatMap(({ about, json }) => [
    '',
    ...wrapped('', about),
    ...JSON.stringify(json, null, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ]);
  const rows = settingRows(section).flatMap(({ name, flag, value, usual, about }) => {
    const plain = usual.replaceAll('`', '');
    const fallback = plain === 'needed' ? 'needed' : `default: ${plain}`;
    return [
      `  ${bold(name)}${flag === undefined ? '' : `  ${flag}`}`,
      ...wrapped('      ', `${about}: ${value} (${fallback})`),
    ];
  });
  return [...wrapped('', section.about.replaceAll('`', '')), ...examples, '', ...rows];
}
