/** The reference of all settings from their declarations: docs/settings.md, and `kindred settings`. */
import { type Example, FEDERATION_EXAMPLES, SCENARIO_EXAMPLES } from './examples.ts';
import { FEDERATION, FEDERATION_FLAGS } from './federation.ts';
import type { Fields, Kind } from './kind.ts';
import { object } from './objects.ts';
import { POLICY } from './policy.ts';
import { SCENARIO } from './scenario.ts';
import { settingFlags } from './setting-flags.ts';
import { PERSONALISING, TRAINING } from './training.ts';
import { WIRE } from './wire.ts';

export interface Section {
  readonly title: string;
  readonly about: string;
  readonly fields: Fields;
  /** Those that have flags. */
  readonly flagged: Fields;
  readonly defaults: 'shown' | 'hidden';
  readonly examples: readonly Example[];
}

/** By the name that `kindred settings` knows them by. */
export const SECTIONS = {
  training: {
    title: 'Training',
    about:
      '`kindred train`, `train(table, options)` of the library, and `options` of a model file. `kindred tune` accepts all of them that it does not search for.',
    fields: TRAINING,
    flagged: TRAINING,
    defaults: 'shown',
    examples: [],
  },
  personalising: {
    title: 'Personalising',
    about: '`kindred personalise` and `personalise(model, table, options)`.',
    fields: PERSONALISING,
    flagged: PERSONALISING,
    defaults: 'shown',
    examples: [],
  },
  federation: {
    title: 'Federation',
    about:
      'A federation file (`kindred serve --federation-file`), `options` of `POST /v1/federations`, and `parseOptions` of the library. A federation file is an object of these settings, or `{"name", "options"}`; flags of `kindred serve` override it.',
    fields: FEDERATION,
    flagged: FEDERATION_FLAGS,
    defaults: 'shown',
    examples: FEDERATION_EXAMPLES,
  },
  policy: {
    title: 'Policy of a participant',
    about:
      '`kindred join --policy file`, flags of `kindred join`, `policy` of `joinFederation` and of a scenario. A participant checks its policy before every answer, whatever the federation asks for.',
    fields: POLICY,
    flagged: POLICY,
    defaults: 'shown',
    examples: [],
  },
  scenario: {
    title: 'Scenario',
    about:
      'A scenario file (`kindred simulate`), and `simulate(scenario)` of the library. Every field has a default: `{}` is a valid scenario.',
    fields: SCENARIO,
    flagged: {},
    defaults: 'shown',
    examples: SCENARIO_EXAMPLES,
  },
} satisfies Readonly<Record<string, Section>>;

const ON_THE_WIRE: Section = {
  title: 'On the wire',
  about:
    'What participants receive in `welcome` (src/protocol/PROTOCOL.md). These settings have no defaults.',
  fields: WIRE,
  flagged: {},
  defaults: 'hidden',
  examples: [],
};

/** One line of the reference. */
export interface SettingRow {
  /** dp.clip */
  readonly name: string;
  readonly flag: string | undefined;
  readonly value: string;
  readonly usual: string;
  readonly about: string;
}

export function settingRows({ fields, flagged, defaults }: Section): SettingRow[] {
  const flags = new Map(settingFlags(flagged).map(({ path, flag }) => [path.join('.'), flag]));
  const rowsOf = (inner: Fields, prefix: string, path: string): SettingRow[] =>
    Object.entries(inner).flatMap(([key, kind]) => {
      const { is, declared } = kind;
      const own = {
        name: `${prefix}${key}`,
        flag: flags.get(`${path}${key}`),
        value: is.expected,
        usual: defaults === 'hidden' ? '' : defaultOf(kind),
        about: declared.about,
      };
      const parts = (is.parts ?? []).flatMap((part) => {
        // The flags of what ends a training have no "stop" before them.
        const inside = key === 'stop' ? '' : part.of === '' ? `${path}${key}.` : `${path}${key}${part.of}.`;
        return rowsOf(part.fields, `${prefix}${key}${part.of}.`, inside);
      });
      return [own, ...parts];
    });
  return rowsOf(fields, '', '');
}

/** As a JSON schema. */
export function sectionSchema({ title, fields }: Section): object {
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...object(fields).schema };
}

export function settingsDocument(): string {
  const intro = [
    '# Settings',
    '',
    'Generated from the declarations in `src/settings/` by `node scripts/settings-docs.mjs`; a test checks that it is up to date. `kindred settings <section>` prints the same',
    'without a network: the reference, an example to start from (`kindred settings scenario --example > scenario.json`), or a JSON schema for an editor (`--json`).',
    'Invalid combinations are refused with an error message (`src/coordinator/options.ts`).',
  ];
  const parts = [...Object.values<Section>(SECTIONS), ON_THE_WIRE].map(sectionText);
  return `${[intro.join('\n'), ...parts].join('\n\n')}\n`;
}

function sectionText(section: Section): string {
  const examples = section.examples.flatMap(({ about, json }) => [
    about,
    '',
    '```json',
    JSON.stringify(json, null, 2),
    '```',
    '',
  ]);
  const rows = settingRows(section).map(({ name, flag, value, usual, about }) => {
    const names = [name, ...(flag === undefined ? [] : [flag])].map(code).join(' ');
    return `| ${[names, value, usual, about].map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const head = ['| setting | value | default | meaning |', '| --- | --- | --- | --- |'];
  return [`## ${section.title}`, '', section.about, '', ...examples, ...head, ...rows].join('\n');
}

function defaultOf(kind: Kind<unknown, unknown>): string {
  const { fallback, derived, absent } = kind.declared;
  if (derived !== undefined) return derived;
  if (fallback === undefined) return absent === 'optional' ? 'none' : 'required';
  const json = kind.toJson(fallback);
  return kind.is.parts?.[0]?.of === ''
    ? 'see below'
    : json === null
      ? 'no limit'
      : code(JSON.stringify(json));
}

function code(text: string): string {
  return `\`${text}\``;
}
