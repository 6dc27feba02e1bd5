/** The reference of all settings, docs/settings.md, from their declarations. */
import { FEDERATION } from './federation.ts';
import type { Fields, Kind } from './kind.ts';
import { POLICY } from './policy.ts';
import { flagOf } from './refused.ts';
import { SCENARIO } from './scenario.ts';
import { PERSONALISING, TRAINING } from './training.ts';
import { WIRE } from './wire.ts';

interface Section {
  readonly flags: 'shown' | 'hidden';
  readonly defaults: 'shown' | 'hidden';
}

interface NamedSection extends Section {
  readonly title: string;
  readonly about: string;
  readonly fields: Fields;
}

const SECTIONS: readonly NamedSection[] = [
  {
    title: 'Training',
    about:
      '`kindred train`, `train(table, options)` of the library, and `options` of a model file. `kindred tune` takes those that it does not search for.',
    fields: TRAINING,
    flags: 'shown',
    defaults: 'shown',
  },
  {
    title: 'Personalising',
    about: '`kindred personalise` and `personalise(model, table, options)`.',
    fields: PERSONALISING,
    flags: 'shown',
    defaults: 'shown',
  },
  {
    title: 'Federation',
    about:
      'A federation file (`kindred serve --federation-file`), `options` of `POST /v1/federations`, and `parseOptions` of the library. `kindred serve --help` lists the flags there are.',
    fields: FEDERATION,
    flags: 'shown',
    defaults: 'shown',
  },
  {
    title: 'Policy of a participant',
    about:
      '`kindred join --policy file`, flags of `kindred join`, `policy` of `joinFederation` and of a scenario. A participant asks it before every answer, whatever the federation asks for.',
    fields: POLICY,
    flags: 'shown',
    defaults: 'shown',
  },
  {
    title: 'Scenario',
    about:
      'A scenario file (`kindred simulate`), and `simulate(scenario)` of the library. `{}` is a scenario.',
    fields: SCENARIO,
    flags: 'hidden',
    defaults: 'shown',
  },
  {
    title: 'On the wire',
    about: 'What participants receive in `welcome` (src/protocol/PROTOCOL.md). Nothing has a default there.',
    fields: WIRE,
    flags: 'hidden',
    defaults: 'hidden',
  },
];

export function settingsDocument(): string {
  const parts = SECTIONS.map(({ title, about, fields, ...shown }) => {
    const head = ['| setting | value | default | meaning |', '| --- | --- | --- | --- |'];
    return [`## ${title}`, '', about, '', ...head, ...rowsOf(fields, shown)].join('\n');
  });
  const intro = [
    '# Settings',
    '',
    'Made from the declarations in `src/settings/` by `node scripts/settings-docs.mjs`; a test checks that it is current.',
    'What does not go together is refused with a sentence (`src/coordinator/options.ts`).',
  ];
  return `${[intro.join('\n'), ...parts].join('\n\n')}\n`;
}

/** `prefix` ends in a dot. */
function rowsOf(fields: Fields, { flags, defaults }: Section, prefix = ''): string[] {
  return Object.entries(fields).flatMap(([key, kind]) => {
    const { is, declared } = kind;
    const parts = is.parts ?? [];
    const hasFlag = flags === 'shown' && (declared.flag || parts.length === 0);
    const names = [`${prefix}${key}`, ...(hasFlag ? [declared.flag ?? flagOf(key)] : [])].map(code).join(' ');
    const usual = defaults === 'hidden' ? '' : defaultOf(kind);
    const row = `| ${names} | ${is.expected} | ${usual} | ${declared.about} |`;
    // Only what says when training ends has flags of its own.
    const inner = { defaults, flags: key === 'stop' ? flags : 'hidden' } as const;
    return [row, ...parts.flatMap((part) => rowsOf(part.fields, inner, `${prefix}${key}${part.of}.`))];
  });
}

function defaultOf(kind: Kind<unknown, unknown>): string {
  const { fallback, derived, absent } = kind.declared;
  if (derived !== undefined) return derived;
  if (fallback === undefined) return absent === 'optional' ? 'none' : 'needed';
  const json = kind.toJson(fallback);
  return kind.is.parts?.[0]?.of === '' ? 'as below' : json === null ? 'no limit' : code(JSON.stringify(json));
}

function code(text: string): string {
  return `\`${text}\``;
}
